/**
 * Where documents went that had an address of their own: by their path, the path and heading at which their subject stands
 * now. Add a line when a document is removed or renamed, so that links from elsewhere keep leading somewhere.
 */
export const movedGuides: ReadonlyMap<string, string> = new Map([
  ['/docs/console', '/docs/reference'],
  ['/docs/corrections', '/docs/data-and-releases#corrections'],
  ['/docs/data', '/docs/data-and-names'],
  ['/docs/downloading-and-comparing', '/docs/data-and-releases'],
  ['/docs/gazetteer', '/docs/data-and-releases#cities'],
  ['/docs/names', '/docs/data-and-names#names'],
  ['/docs/releases', '/docs/data-and-releases#publish'],
  ['/docs/snapshot-format', '/docs/data-and-releases#build'],
]);
