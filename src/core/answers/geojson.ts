/** Features of GeoJSON (RFC 7946), from the JSON of an object or from the data of a use case. */

import type { ByteString } from '../snapshot/byte-string.js';
import type { ResponseData } from './response-data.js';
import { type Row, rowsOf } from './response-rows.js';

const POSITION = /,"latitude":([^,]*),"longitude":([^,}]*)/;
const ID = /^\{("id":"[^"]*",)/;

/**
 * An object, such as a place with or without its details, as a feature (RFC 7946): all of its fields are the feature's
 * properties, its position is a point, and its id is the feature's too. Without a position the geometry is null.
 * Of the text alone, since an export would take longer if it parsed each; featureOf does the same to parsed rows.
 */
export function featureJson(object: ByteString): ByteString {
  const [, latitude = 'null', longitude = 'null'] = POSITION.exec(object) ?? [];
  const [, id = ''] = ID.exec(object) ?? [];
  const hasPosition = latitude !== 'null' && longitude !== 'null';
  const geometry = hasPosition ? `{"type":"Point","coordinates":[${longitude},${latitude}]}` : null;
  return `{"type":"Feature",${id}"geometry":${geometry},"properties":${object}}`;
}

/** A row as featureJson gives it: without a text of each, and a search in it, a long list takes a fifth less time. */
function featureOf(row: Row): object {
  const { latitude, longitude } = row;
  const id = Object.keys(row)[0] === 'id' ? row.id : undefined;
  const hasPosition = typeof latitude === 'number' && typeof longitude === 'number';
  const geometry = hasPosition ? { type: 'Point', coordinates: [longitude, latitude] } : null;
  return { type: 'Feature', id, geometry, properties: row };
}

/** The features of data, each with `more` behind its properties. */
export function listFeatures(data: ResponseData, more: Row = {}): ByteString[] {
  return rowsOf(data).rows.map((row) => featureJson(JSON.stringify({ ...row, ...more })));
}

/** A list as a collection of features, with what stands beside the list as members; one place as a feature. */
export function geoJsonOf(data: ResponseData): ByteString {
  const { rows, members } = rowsOf(data);
  const features = rows.map(featureOf);
  return JSON.stringify(members === undefined ? features[0] : { type: 'FeatureCollection', features, ...members });
}
