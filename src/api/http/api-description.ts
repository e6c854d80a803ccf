/**
 * The description of the API as it is served: the OpenAPI document that `npm run generate:openapi` writes, without white
 * space, and from its `info` the description of the service at `/`.
 */

import { DESCRIPTION_PATH } from '../description/public-operations.js';

export interface ApiDescription {
  readonly document: Buffer;
  readonly service: DescribedService;
}

export interface DescribedService {
  readonly name: string;
  readonly summary: string;
  readonly version: string;
  readonly description: string;
  readonly attribution: string;
  readonly license: { readonly name: string; readonly identifier: string };
}

interface Info extends Pick<DescribedService, 'summary' | 'version' | 'license'> {
  readonly title: string;
  readonly 'x-attribution': string;
}

export function parseApiDescription(text: string): ApiDescription {
  const document = JSON.parse(text) as { readonly info: Info };
  const { title: name, summary, version, license, 'x-attribution': attribution } = document.info;
  const { name: licenseName, identifier } = license;
  return {
    document: Buffer.from(JSON.stringify(document)),
    service: {
      ...{ name, summary, version, description: DESCRIPTION_PATH, attribution },
      license: { name: licenseName, identifier },
    },
  };
}
