import { asArray, asObject, asString, isString } from '../../../core/json/values.ts'
import type { UserContentPart } from '../../../core/state/content.ts'
import { imageAt } from '../../../core/state/plain-output.ts'
import { snakeCase } from '../../../programs/codex/tool-names.ts'
import { typeName } from '../../../reading/context.ts'
import { withSnakeCase } from './item.ts'

/** Returns the parts of a person's message. */
export function userParts(content: unknown): readonly UserContentPart[] {
  return asArray(content).flatMap((part) => readUserPart(part) ?? [])
}

/** Returns a part of a person's message; undefined for an unknown type. */
function readUserPart(part: unknown): UserContentPart | undefined {
  const { text } = asObject(part)
  if (isString(text)) return { type: 'text', text }
  const { type, url, image_url, path, name } = withSnakeCase(asObject(part))
  const link = asString(url) ?? asString(image_url)
  const file = asString(path)
  if (link !== undefined) return imageAt(link)
  if (file === undefined) return undefined
  if (snakeCase(asString(type) ?? '') === 'local_image') return imageAt(file)
  return { type: 'text', text: `[${asString(name) ?? file}](${file})` }
}

/** Returns the types of a message's parts that no reader knows, with the role of its author. The message has its other parts. */
export function unknownParts(item: unknown): readonly string[] {
  const { type, content } = asObject(item)
  const name = snakeCase(asString(type) ?? '')
  if (name !== 'user_message' && name !== 'agent_message') return []
  const role = name === 'user_message' ? 'user' : 'assistant'
  return asArray(content)
    .filter((part) => !(isText(part) || (role === 'user' && readUserPart(part))))
    .map((part) => `${role}/${typeName(asObject(part).type)}`)
}

/** Whether the part is a text. One without its text is empty, and not unknown. */
function isText(part: unknown): boolean {
  const { type, text } = asObject(part)
  return isString(text) || /text$/i.test(asString(type) ?? '')
}

/** Returns the content of a message that is a text. */
export function textParts(text: unknown): readonly UserContentPart[] {
  return isString(text) ? [{ type: 'text', text }] : []
}
