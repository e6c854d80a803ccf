/**
 * The use cases with `url` fields of another site than the snapshot's. A snapshot has its `url` fields in rendered bytes, so
 * each answer is copied: `postal-places build --site-url` costs nothing.
 */

import { responseText } from './response-data.js';
import type { Service, UseCase } from './service.js';

/** In answers from snapshots of the site `from`, `url` fields point to `to`. Both are addresses without a path. */
export function withSiteAddress(service: Service, from: string, to: string): Service {
  // No other field ends with this text: quotes in names are escaped.
  const [own, other] = [from, to].map((address) => `"url":"${address}/`) as [string, string];
  const bind =
    (useCase: UseCase<never>): UseCase<never> =>
    (snapshot, input) => {
      const data = useCase(snapshot, input);
      return snapshot.manifest.siteUrl === from ? responseText(data).replaceAll(own, other) : data;
    };
  return Object.fromEntries(Object.entries(service).map(([id, useCase]) => [id, bind(useCase)])) as Service;
}
