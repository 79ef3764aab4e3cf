import { isObject, type JsonObject } from '../../core/json/values.ts'

/** Returns a message's content as a list of parts. A string, alone or among the parts, becomes a text part. */
export function contentParts(content: unknown): readonly JsonObject[] {
  if (content === undefined) return NO_PARTS
  if (isListOfObjects(content)) return content
  const parts: JsonObject[] = []
  for (const part of Array.isArray(content) ? content : [content])
    if (typeof part === 'string') parts.push({ type: 'text', text: part })
    else if (isObject(part)) parts.push(part)
  return parts
}

const NO_PARTS: readonly JsonObject[] = []

/** Most messages are such a list. */
function isListOfObjects(content: unknown): content is readonly JsonObject[] {
  return Array.isArray(content) && content.every(isObject)
}

/** Returns the texts of a message's text parts. */
export function textsIn(content: unknown): readonly string[] {
  return textsOfParts(contentParts(content))
}

/** Returns the texts of the text parts. */
export function textsOfParts(parts: readonly JsonObject[]): readonly string[] {
  const texts: string[] = []
  for (const { type, text } of parts) if (type === 'text' && typeof text === 'string') texts.push(text)
  return texts
}

/** Returns the text of a result for the model. */
export function textOf({ output }: { readonly output: unknown }): string {
  return textsIn(output).join('\n')
}
