/**
 * Slugs: the segments of a place's path, made of a-z, 0-9 and single inner hyphens. A slug is its own slug, so a path
 * of a web page and one typed by hand ("/Île-de-France/Paris") compare alike.
 */
import { foldText } from './fold-text.js';

/** The slug of a name; empty when the name has neither letters nor digits. */
export function slugOf(name: string): string {
  return foldText(name).replaceAll(' ', '-');
}
