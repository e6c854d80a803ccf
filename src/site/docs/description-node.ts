/** Reading a description whose form nobody has checked: what is missing or of another type is read as empty. */

export type Node = Readonly<Record<string, unknown>>;

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function nodeAt(node: Node, name: string): Node {
  const value = node[name];
  return isNode(value) ? value : {};
}

export function listAt(node: Node, name: string): readonly unknown[] {
  const value = node[name];
  return Array.isArray(value) ? value : [];
}

export function textAt(node: Node, name: string): string {
  const value = node[name];
  return typeof value === 'string' ? value : '';
}
