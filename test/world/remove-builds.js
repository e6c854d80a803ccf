/** Runs after all checks: removes what build-releases.js wrote. */
import { rmSync } from 'node:fs';

export default function removeBuilds() {
  const builds = process.env.WORLD_BUILDS;
  if (builds !== undefined) rmSync(builds, { recursive: true, force: true });
}
