/** A format of responses with metric data or test data. */
export type ResponseFormat = {
  /** The value of `format` in a request. */
  readonly key: 'json' | 'csv' | 'ndjson' | 'arrow'
  /** The media type that selects the format in `Accept`. */
  readonly mediaType: string
  readonly contentType: string
  readonly about: string
  /** The extension of a file with such a response. */
  readonly extension: string
  /** False if a response in this format cannot contain `meta`. */
  readonly hasMeta: boolean
}

export const json: ResponseFormat = {
  key: 'json',
  mediaType: 'application/json',
  contentType: 'application/json; charset=utf-8',
  about: 'An object with `data`.',
  extension: 'json',
  hasMeta: true,
}

export const responseFormats: readonly ResponseFormat[] = [
  json,
  {
    key: 'csv',
    mediaType: 'text/csv',
    contentType: 'text/csv; charset=utf-8; header=present',
    about: 'One row for each point or record, with a header. Null is an empty cell, and lists are JSON text.',
    extension: 'csv',
    hasMeta: false,
  },
  {
    key: 'ndjson',
    mediaType: 'application/x-ndjson',
    contentType: 'application/x-ndjson; charset=utf-8',
    about: 'One JSON object on each line for each point or record.',
    extension: 'ndjson',
    hasMeta: false,
  },
  {
    key: 'arrow',
    mediaType: 'application/vnd.apache.arrow.stream',
    contentType: 'application/vnd.apache.arrow.stream',
    about: 'One row for each point or record, as a stream of Apache Arrow. Lists are JSON text.',
    extension: 'arrows',
    hasMeta: true,
  },
]
