import { asArray, asObject, asString, isObject, isString, type JsonObject } from '../../core/json/values.ts'
import type { UserContentPart } from '../../core/state/content.ts'

/** A part of a message as the Gemini API has it. Programs that were made from Gemini CLI store the same parts. */
export type Part =
  | { readonly type: 'text'; readonly text: string; readonly isThought: boolean }
  | {
      readonly type: 'call'
      readonly id?: string | undefined
      readonly name: string
      readonly input: unknown
    }
  | ResponsePart
  | { readonly type: 'data'; readonly content: UserContentPart }

interface ResponsePart {
  readonly type: 'response'
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly response: JsonObject
}

/**
 * Reads the content of a message: a text, or a list of parts. A part of another kind is left out. The images of a
 * result are parts of its own, or behind it.
 */
export function readParts(content: unknown): readonly Part[] {
  if (isString(content)) return content === '' ? [] : [{ type: 'text', text: content, isThought: false }]
  return (isObject(content) ? [content] : asArray(content)).flatMap(readPart)
}

function readPart(value: unknown): readonly Part[] {
  if (isString(value)) return readParts(value)
  const { text, thought, functionCall, functionResponse, inlineData, fileData } = asObject(value)
  if (isString(text)) return text === '' ? [] : [{ type: 'text', text, isThought: thought === true }]
  if (isObject(functionCall)) {
    const { id, name, args } = functionCall
    return [{ type: 'call', id: asString(id), name: asString(name) ?? '', input: args ?? {} }]
  }
  if (isObject(functionResponse))
    return [
      {
        type: 'response',
        id: asString(functionResponse.id),
        name: asString(functionResponse.name),
        response: asObject(functionResponse.response),
      },
      ...readParts(functionResponse.parts),
    ]
  const content = isObject(inlineData) ? inlineContent(inlineData) : fileContent(asObject(fileData))
  return content ? [{ type: 'data', content }] : []
}

function inlineContent({ data, mimeType }: JsonObject): UserContentPart | undefined {
  if (!isString(data)) return undefined
  const mediaType = asString(mimeType) ?? 'application/octet-stream'
  const type = mediaType.startsWith('image/') ? 'image' : 'file'
  return { type, source: { type: 'base64', mediaType, data } }
}

function fileContent({ fileUri: url }: JsonObject): UserContentPart | undefined {
  return isString(url) ? { type: 'file', source: { type: 'url', url } } : undefined
}

/** Returns the text of the parts, without thoughts. */
export function textIn(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' && !part.isThought ? part.text : '')).join('')
}

/**
 * Returns the output of a call for the model: a text, or a list if the result has further parts. Its text is
 * undefined if there is no result.
 */
export function outputIn(result: unknown): unknown {
  return outputOf(readParts(result))
}

/** Returns the results in a message, each with its output for the model. The parts behind a result belong to it. */
export function resultsIn(
  message: readonly Part[],
): readonly (ResponsePart & { readonly output: unknown })[] {
  const results: { readonly response: ResponsePart; readonly parts: Part[] }[] = []
  for (const part of message) {
    if (part.type === 'response') results.push({ response: part, parts: [part] })
    else results.at(-1)?.parts.push(part)
  }
  return results.map(({ response, parts }) => ({ ...response, output: outputOf(parts) }))
}

function outputOf(parts: readonly Part[]): unknown {
  const text = parts.flatMap((part) => (part.type === 'response' ? wordsIn(part.response) : [])).join('\n')
  const others = parts.flatMap((part) => {
    if (part.type === 'data') return [part.content]
    return part.type === 'text' ? [{ type: 'text' as const, text: part.text }] : []
  })
  const unwrapped = withoutFrame(text)
  return others.length === 0 ? unwrapped : [{ type: 'text', text: unwrapped }, ...others]
}

function wordsIn(response: JsonObject): readonly string[] {
  const words = [response.output, response.error].filter(isString)
  return words.length > 0 || Object.keys(response).length === 0 ? words : [JSON.stringify(response)]
}

/** Each text from outside stands in a frame that warns the model. Notes of the program may follow it. */
function withoutFrame(text: string): string {
  if (!text.startsWith('<untrusted_context>\n')) return text
  return text
    .split('\n')
    .filter((line) => !/^<\/?untrusted_context>$/.test(line))
    .join('\n')
}
