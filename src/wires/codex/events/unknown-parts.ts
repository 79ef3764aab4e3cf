import { asArray, asObject, asString, isString } from '../../../json/values.ts'
import { snakeCase } from '../../../programs/codex/snake-case.ts'
import { typeName } from '../../../session/context.ts'
import { readUserPart } from '../items/read-item.ts'
import { type CodexEvent, unknownBlock } from './event.ts'

/** Reports the parts of a message that no reader knows. The message has its other parts. */
export function unknownParts(
  item: unknown,
  place: Pick<CodexEvent, 'threadId' | 'time'>,
): readonly CodexEvent[] {
  const { type, content } = asObject(item)
  const name = snakeCase(asString(type) ?? '')
  if (name !== 'user_message' && name !== 'agent_message') return []
  const role = name === 'user_message' ? 'user' : 'assistant'
  return asArray(content)
    .filter((part) => !(isText(part) || (role === 'user' && readUserPart(part))))
    .map((part) => unknownBlock(`${role}/${typeName(asObject(part).type)}`, place))
}

/** Whether the part is a text. One without its text is empty, and not unknown. */
function isText(part: unknown): boolean {
  const { type, text } = asObject(part)
  return isString(text) || /text$/i.test(asString(type) ?? '')
}
