/**
 * Documents that had an address of their own and have moved: the old path leads to the path and heading where the
 * subject stands now. Add a line when a document is removed or renamed, so that links from elsewhere keep working.
 */

export const movedDocuments: ReadonlyMap<string, string> = new Map([
  ['/docs/console', '/docs/reference'],
  ['/docs/corrections', '/docs/building#corrections'],
  ['/docs/data', '/docs/data-and-names'],
  ['/docs/data-and-releases', '/docs/building'],
  ['/docs/downloading-and-comparing', '/docs/building'],
  ['/docs/gazetteer', '/docs/building#cities'],
  ['/docs/names', '/docs/data-and-names#names'],
  ['/docs/snapshot-format', '/docs/building#build'],
]);
