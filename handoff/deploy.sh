#!/usr/bin/env bash
# Deploys the stacks of this folder in their order with plain CloudFormation calls, and waits for each.
# Settings are the AWS CLI's own (AWS_PROFILE, AWS_REGION, ...) and ASSETS_BUCKET; README.md explains both.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

[[ $# == 0 ]] || fail "This takes no arguments; README.md says what it reads from the environment."
for tool in aws awk; do
  command -v "$tool" >/dev/null || fail "This needs $tool on the PATH."
done
if command -v sha256sum >/dev/null; then sha256() { sha256sum "$@"; }; else sha256() { shasum -a 256 "$@"; }; fi
[[ -s SHA256SUMS ]] || fail "SHA256SUMS is missing."
changed=$(LC_ALL=C sha256 -c SHA256SUMS 2>/dev/null | awk -F ': ' '$NF != "OK" { print $1 }') || true
[[ -z $changed ]] || fail "Not what was handed over: $changed"

setting() { awk -F '\t' -v name="$1" '$1 == name { print $2 }' target.tsv; }
bucket=${ASSETS_BUCKET:-$(setting assets_bucket)}
[[ $bucket =~ ^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$ ]] || fail "ASSETS_BUCKET: $bucket is not the name of a bucket."

region=${AWS_REGION:-${AWS_DEFAULT_REGION:-$(aws configure get region || true)}}
meant=$(setting region)
region=${region:-$meant}
[[ -n $region ]] || fail "No region is chosen: set AWS_REGION."
[[ -z $meant || $region == "$meant" ]] || fail "These templates are for $meant, and the chosen region is $region."
export AWS_REGION=$region AWS_DEFAULT_REGION=$region AWS_PAGER=""

caller=$(aws sts get-caller-identity --query '[Account, Arn]' --output text)
account=${caller%%[[:space:]]*}
meant=$(setting account)
[[ -z $meant || $account == "$meant" ]] || fail "These templates are for account $meant, and the credentials are of $account."

place=$(aws s3api get-bucket-location --bucket "$bucket" --expected-bucket-owner "$account" --query LocationConstraint --output text) ||
  fail "ASSETS_BUCKET: $bucket cannot be used; it must be there, in this account."
case $place in None) place=us-east-1 ;; EU) place=eu-west-1 ;; esac
[[ $place == "$region" ]] || fail "ASSETS_BUCKET: $bucket is in $place, not in $region, where functions and builds read it."
case $caller in *arn:aws-cn:*) suffix=amazonaws.com.cn ;; *) suffix=amazonaws.com ;; esac

upload() { # file: puts it where its content's digest says, unless it is there
  local key digest
  digest=$(sha256 "$1")
  key="$(setting prefix)${digest%% *}.${1#*.}"
  aws s3api head-object --bucket "$bucket" --key "$key" >/dev/null 2>&1 ||
    aws s3api put-object --bucket "$bucket" --key "$key" --body "$1" >/dev/null || exit 1
  printf '%s' "$key"
}

status_of() { # stack: its status, NONE if there is no such stack
  local answer
  if answer=$(aws cloudformation describe-stacks --stack-name "$1" --query 'Stacks[0].StackStatus' --output text 2>&1); then
    printf '%s' "$answer"
  elif [[ $answer == *"does not exist"* ]]; then
    printf 'NONE'
  else
    fail "$answer"
  fi
}

wait_for() { # stack: waits until its operation is over and prints the status
  local state
  # A failure inside $( ) does not end the script by itself.
  state=$(status_of "$1") || exit 1
  while [[ $state == *_IN_PROGRESS && $state != REVIEW_IN_PROGRESS ]]; do
    sleep "${POLL_SECONDS:-10}"
    state=$(status_of "$1") || exit 1
  done
  printf '%s' "$state"
}

explain() { # stack: what failed, the first last
  aws cloudformation describe-stack-events --stack-name "$1" --output text \
    --query "StackEvents[?ends_with(ResourceStatus, '_FAILED')].[LogicalResourceId, ResourceStatusReason]" >&2 || true
}

deploy() { # stack capability protection parameter
  local key before after answer options
  key=$(upload "templates/$1.template.json")
  options=(--stack-name "$1" --capabilities "$2" --template-url "https://s3.$region.$suffix/$bucket/$key")
  [[ $4 == none ]] || options+=(--parameters "ParameterKey=$4,ParameterValue=$bucket")
  before=$(wait_for "$1")
  case $before in
    NONE | REVIEW_IN_PROGRESS | DELETE_COMPLETE)
      aws cloudformation create-stack "${options[@]}" >/dev/null
      after=$(wait_for "$1")
      ;;
    CREATE_COMPLETE | UPDATE_COMPLETE | UPDATE_ROLLBACK_COMPLETE | IMPORT_COMPLETE | IMPORT_ROLLBACK_COMPLETE)
      if answer=$(aws cloudformation update-stack "${options[@]}" 2>&1); then
        after=$(wait_for "$1")
      elif [[ $answer == *"No updates are to be performed"* ]]; then
        after="$before, no changes"
      else
        fail "$1: $answer"
      fi
      ;;
    *) fail "$1 is $before and cannot be updated; README.md says what to do." ;;
  esac
  case $after in
    CREATE_COMPLETE | UPDATE_COMPLETE | *", no changes") ;;
    *)
      explain "$1"
      case $after in
        UPDATE_ROLLBACK_COMPLETE) fail "$1 is $after: what ran before runs again." ;;
        *) fail "$1 is $after; README.md says what to do." ;;
      esac
      ;;
  esac
  aws cloudformation update-termination-protection --stack-name "$1" "--$3" >/dev/null
  printf '%s: %s\n' "$1" "$after"
}

for archive in assets/*.zip; do
  upload "$archive" >/dev/null
done
while IFS=$'\t' read -r stack capability protection parameters; do
  deploy "$stack" "$capability" "$protection" "$parameters" </dev/null
done <stacks.tsv
