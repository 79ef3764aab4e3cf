import type { VariantsOf } from '../json/shape.ts'

/** An image or another file in a user's message: its bytes, or where they are. */
export type FileSource =
  | { readonly type: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string; readonly mediaType?: string }

const FILE_SOURCE: VariantsOf<FileSource> = {
  fields: {},
  byType: {
    base64: { mediaType: 'string', data: 'string' },
    url: { url: 'string', 'mediaType?': 'string' },
  },
}

/** One part of a user's message that is more than a single text. */
export type UserContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly source: FileSource }
  | { readonly type: 'file'; readonly source: FileSource; readonly name?: string }

/** The shape of a part. */
export const CONTENT_PART: VariantsOf<UserContentPart> = {
  fields: {},
  byType: {
    text: { text: 'string' },
    image: { source: FILE_SOURCE },
    file: { source: FILE_SOURCE, 'name?': 'string' },
  },
}
