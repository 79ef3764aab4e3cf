import { asArray, asObject, asString } from '../../../json/values.ts'
import { typeName } from '../../translation/context.ts'
import { snakeCase } from '../items/fields.ts'
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
  const isKnown = (part: unknown) =>
    role === 'user' ? readUserPart(part) !== undefined : asString(asObject(part).text) !== undefined
  return asArray(content)
    .filter((part) => !isKnown(part))
    .map((part) => unknownBlock(`${role}/${typeName(asObject(part).type)}`, place))
}
