"""An AWS embedded in this machine: the real CDK command line deploys to it, real boto3 asks the endpoints."""
