import { isEqual } from '../../core/json/equal.ts'
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../../core/json/values.ts'
import type { ReadResult, ShownCall } from '../reader.ts'

/** Returns the name of a tool of an MCP server. */
export function mcpToolName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`
}

/** A call of an MCP tool as codex-acp shows it. */
interface WrappedCall {
  readonly toolName: string
  readonly input: unknown
}

/** Returns the call inside a call whose title is `mcp.<server>.<tool>`; undefined for any other call. */
export function wrappedCall({ title, input }: ShownCall): WrappedCall | undefined {
  const fields = asObject(input)
  const [server, tool] = [asString(fields.server), asString(fields.tool)]
  if (server === undefined || tool === undefined || title !== `mcp.${server}.${tool}`) return undefined
  return { toolName: mcpToolName(server, tool), input: fields.arguments ?? {} }
}

/**
 * Returns what a call of an MCP tool has given: the message of its error, or else the content. A failed result may have an
 * image too, which no message repeats.
 */
export function mcpParts({ result, error }: JsonObject): unknown {
  const content = mcpContent(asObject(result))
  const message = asString(asObject(error).message) ?? asString(error)
  if (message === undefined || !hasImage(content)) return message ?? content
  const texts = asArray(content).flatMap((part) => asString(asObject(part).text) ?? [])
  const isRepeated = texts.some((text) => message.includes(text))
  return isRepeated ? content : [{ type: 'text', text: message }, ...asArray(content)]
}

/** Returns the output of an MCP tool: its parts, as one text if they are only texts. */
function mcpOutput(record: JsonObject): unknown {
  const content = mcpParts(record)
  if (!Array.isArray(content)) return content
  const texts = content.map((part) => asString(asObject(part).text))
  return texts.every((text) => text !== undefined) ? texts.join('\n') : content
}

/**
 * Returns the content of a result. The model gets structured content in place of the rest, so it becomes a text, unless
 * a text repeats it.
 */
function mcpContent({ content, structuredContent, structured_content }: JsonObject): unknown {
  const structured = structuredContent ?? structured_content ?? undefined
  if (structured === undefined) return content
  const parts = asArray(content)
  const isRepeated = parts.some((part) => isEqual(parseJson(asString(asObject(part).text) ?? ''), structured))
  return isRepeated ? parts : [...parts, { type: 'text', text: JSON.stringify(structured) }]
}

/** Reads the result of an MCP tool. Any other record has no output of its own. */
export function mcpResult(record: JsonObject): ReadResult {
  const isMcp = 'result' in record && 'error' in record && (isObject(record.result) || record.result === null)
  return isMcp ? { output: mcpOutput(record) ?? '' } : {}
}

/** Whether the output of a call has an image: as the model reads it, or as a block shows it. */
export function hasImage(output: unknown): boolean {
  return asArray(output)
    .map(asObject)
    .some(({ image_url, type }) => image_url || type === 'image')
}
