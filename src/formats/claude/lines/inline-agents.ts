import { asString, type JsonObject } from '../../../json/values.ts'
import { bufferedItems } from '../../translation/buffer.ts'
import { typeName } from '../../translation/context.ts'
import { sortedByOrder } from '../../translation/order.ts'
import type { ClaudeContext } from '../context.ts'
import { contentParts, texts } from './content.ts'
import { type Line, readLine } from './line.ts'

/**
 * Before 2.0 a subagent's lines stand in the session's own file, without an id: all of them in one piece, right before
 * the result of its call. They are held until that tells whose they are.
 */
export function isInlineSidechain({ raw, agentId }: Line): boolean {
  return raw.isSidechain === true && agentId === undefined
}

export function holdSidechain({ raw }: Line, translation: ClaudeContext): void {
  const { openAgents, sidechain: before } = translation.memory
  if (before || !openAgents.isEmpty) translation.remember({ sidechain: { item: raw, before } })
  else translation.reportUnknown('unplaced-message', typeName(raw.type))
}

/** Translates the lines that were held, now that the next line of main is there or the input has ended. */
export function releaseSidechain(
  next: Line | undefined,
  translation: ClaudeContext,
  translateLine: (line: Line, translation: ClaudeContext) => void,
): void {
  const lines = bufferedItems(translation.memory.sidechain)
  if (lines.length === 0) return
  translation.remember({ sidechain: undefined })
  const toolUseId = (next && answeredAgent(next, translation)) ?? promptedAgent(lines, translation)
  for (const raw of lines) {
    if (toolUseId === undefined) translation.reportUnknown('unplaced-message', typeName(raw.type))
    else translateLine({ ...readLine(translation.memory, raw), conversationId: toolUseId }, translation)
  }
}

/** The agent whose call the line answers. */
function answeredAgent({ message }: Line, { memory }: ClaudeContext): string | undefined {
  return contentParts(message.content)
    .map((part) => asString(part.tool_use_id) ?? '')
    .find((toolUseId) => memory.agents.get(toolUseId))
}

/** The first agent that was given the same prompt and has not been met yet. */
function promptedAgent([first]: readonly JsonObject[], { memory }: ClaudeContext): string | undefined {
  const prompt = first && texts(readLine(memory, first).message.content)[0]
  const [agent] = sortedByOrder(
    memory.agents,
    (each) => each.prompt === prompt && memory.prompted.get(each.toolUseId) === undefined,
  )
  return agent?.toolUseId
}
