# Sourced by examples/run.sh and tests/run.sh: installs what is missing from .ci/packages, configures and builds into
# build/ (Release). Needs root or sudo only when a package is missing.
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

missing=()
while read -r package; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
done < <(grep -v '^#' .ci/packages)
if [ "${#missing[@]}" -gt 0 ]; then
  echo "Installing: ${missing[*]}"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "These packages are missing and neither root nor sudo is at hand: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
fi

# In CI a compiler warning is an error.
werror=OFF
[ "${CI:-}" = true ] && werror=ON
echo "Configuring and building (Release, build/)"
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DERGODE_WERROR=$werror
# What is wanted of it, in `targets`; everything when nothing is said.
cmake --build build -j "$(nproc)" ${targets:+--target $targets}
