/** A part of a tool's output. */
export type OutputPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }

/** Returns the parts of a tool's output: a text, or a list of texts and images. It shows other values as JSON. */
export function outputParts(output: unknown): readonly OutputPart[] {
  if (Array.isArray(output)) return output.map(partOf)
  return [partOf(output)]
}

/** Returns the texts of a tool's output. */
export function outputText(output: unknown): string {
  return outputParts(output)
    .map((part) => (part.type === 'text' ? part.text : `(${part.mediaType})`))
    .join('\n')
}

function partOf(value: unknown): OutputPart {
  if (typeof value === 'string') return { type: 'text', text: value }
  if (isObject(value) && typeof value.text === 'string') return { type: 'text', text: value.text }
  return imageIn(value) ?? { type: 'text', text: JSON.stringify(value, null, 2) ?? '' }
}

function imageIn(value: unknown): OutputPart | undefined {
  if (!isObject(value) || value.type !== 'image' || !isObject(value.source)) return undefined
  const { data, mediaType, media_type: name = mediaType } = value.source
  if (typeof data !== 'string' || typeof name !== 'string') return undefined
  return { type: 'image', mediaType: name, data }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
