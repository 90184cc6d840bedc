"""What another team deploys without the CDK: a folder of templates, archives and one script."""
