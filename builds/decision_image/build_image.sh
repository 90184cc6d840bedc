#!/usr/bin/env bash
# Build the decision image on its pinned base, push it once under the tag made of its content, and read back from the
# registry what is there. The outcome goes where the deployment looks for it; the list of the wheels that the image
# holds, each with its digest, goes beside it. The push is the last thing that is done.
set -Eeuo pipefail

readonly accepted="application/vnd.docker.distribution.manifest.v2+json"
sentence="The build stopped before it began."

leave_report() {
  local status=$? outcome=succeeded
  trap - EXIT ERR
  ((status == 0)) || outcome=failed
  echo "$outcome: $sentence"
  python3 -c 'import json, sys; print(json.dumps({"status": sys.argv[1], "message": sys.argv[2][:1000]}))' "$outcome" "$sentence" |
    aws s3 cp --content-type application/json - "s3://$ARTIFACT_BUCKET/reports/${CODEBUILD_BUILD_ID/:/\/}.json" ||
    echo "The report could not be written."
  exit "$status"
}
trap leave_report EXIT
trap 'sentence="$BASH_COMMAND ended with status $?."' ERR

refuse() {
  sentence="$1"
  exit 1
}

require() { # variable, pattern
  [[ ${!1:-} =~ ^$2$ ]] || refuse "$1: ${!1:-(missing)} does not match $2."
}

region_of() { # registry host
  cut -d. -f4 <<<"$1"
}

log_in() { # registry host
  aws ecr get-login-password --region "$(region_of "$1")" | docker login --username AWS --password-stdin "$1"
}

stored() { # prints digest and media type of the image under our tag, "None" when there is none
  aws ecr batch-get-image --region "$(region_of "$registry")" --repository-name "$repository" \
    --image-ids "imageTag=$IMAGE_TAG" --query 'images[0].[imageId.imageDigest, imageManifestMediaType]' --output text \
    --accepted-media-types "$accepted" application/vnd.docker.distribution.manifest.list.v2+json \
    application/vnd.oci.image.manifest.v1+json application/vnd.oci.image.index.v1+json
}

read_back() { # sets digest and media_type; refuses what SageMaker would refuse
  local answer # an assignment of its own: inside <<< a failed call would pass unseen
  answer="$(stored)" || refuse "$registry could not be asked for $image."
  read -r digest media_type <<<"$answer"
  [[ $digest == None || $media_type == "$accepted" ]] ||
    refuse "$image is stored as $media_type; SageMaker takes only $accepted: delete this tag and build again."
}

require_label() { # refuses an image in the registry whose label is not its tag
  local label
  label="$(docker buildx imagetools inspect --format '{{json .Image}}' "$IMAGE_REPOSITORY_URI@$digest" |
    python3 -c 'import json, sys; print(((json.load(sys.stdin).get("config") or {}).get("Labels") or {}).get(sys.argv[1]))' \
      semif.content)" || refuse "The configuration of $image could not be read."
  [[ $label == "$IMAGE_TAG" ]] ||
    refuse "$image is there as $digest, but is labelled semif.content = $label: find out who pushed it."
}

store_wheels() { # leaves the list that the image holds where it can be read without pulling the image
  docker run --rm --network none --entrypoint cat "$image" /opt/semif/wheels.json >wheels.json
  aws s3 cp --content-type application/json wheels.json \
    "s3://$ARTIFACT_BUCKET/reports/${CODEBUILD_BUILD_ID%%:*}/$IMAGE_TAG/wheels.json"
}

readonly host='[0-9]{12}\.dkr\.ecr\.[a-z0-9-]+\.[a-z0-9.-]+' name='[a-z0-9][a-z0-9._/-]+'
require BASE_REPOSITORY_URI "$host/$name"
require BASE_DIGEST 'sha256:[0-9a-f]{64}'
require BASE_REGISTRY_ACCOUNT '[0-9]{12}'
require IMAGE_REPOSITORY_URI "$host/$name"
require IMAGE_TAG '[0-9a-f]{40,64}'
require IMAGE_PLATFORM 'linux/(amd64|arm64)'
base_registry="${BASE_REPOSITORY_URI%%/*}"
registry="${IMAGE_REPOSITORY_URI%%/*}"
repository="${IMAGE_REPOSITORY_URI#*/}"
image="$IMAGE_REPOSITORY_URI:$IMAGE_TAG"
[[ ${base_registry%%.*} == "$BASE_REGISTRY_ACCOUNT" ]] ||
  refuse "BASE_REGISTRY_ACCOUNT: is $BASE_REGISTRY_ACCOUNT, the base image lies in $base_registry."

log_in "$base_registry"
log_in "$registry"

read_back
if [[ $digest != None ]]; then
  require_label
  sentence="$image is there already as $digest."
  exit 0
fi

base="$BASE_REPOSITORY_URI@$BASE_DIGEST"
docker buildx imagetools inspect "$base" ||
  refuse "The base image $base is not there, or this build may not pull it."

# One manifest of docker's own type: attestations would make it an index, and newer engines write OCI by themselves.
# Pushed by a command of its own, since buildx does not push for the engine's own builder.
docker buildx build --platform "$IMAGE_PLATFORM" --provenance=false --sbom=false \
  --build-arg "BASE_IMAGE=$base" --label "semif.content=$IMAGE_TAG" \
  --output "type=image,name=$image,oci-mediatypes=false" --file container/Dockerfile container ||
  refuse "The image could not be built: the log shows the step that failed, such as the self-test."
built="$(docker image inspect --format '{{.Os}}/{{.Architecture}} {{index .Config.Labels "semif.content"}}' "$image")"
[[ $built == "$IMAGE_PLATFORM $IMAGE_TAG" ]] || refuse "The built image is $built, wanted is $IMAGE_PLATFORM $IMAGE_TAG."
store_wheels

# Tags do not move: who pushes second fails, and what is there is then looked at like at the beginning.
pushed=""
docker push "$image" && pushed="$(docker image inspect --format '{{join .RepoDigests " "}}' "$image")"

for pause in 1 2 4 8 0; do
  read_back
  [[ $digest == None ]] || break
  sleep "$pause"
done
[[ $digest != None ]] || refuse "$image could not be pushed${pushed:+: the registry took it, but does not show it}."
require_label
if [[ -z $pushed ]]; then
  sentence="$image is there as $digest, from another build of the same content."
  exit 0
fi
[[ " $pushed " == *" $IMAGE_REPOSITORY_URI@$digest "* ]] || refuse "$image was pushed as $pushed, but the registry has $digest."
sentence="$image is published as $digest."
