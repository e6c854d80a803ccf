export default function buildReleases(): void;
