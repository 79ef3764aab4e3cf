import { isObject, type JsonObject } from '../../core/json/values.ts'
import { MAIN } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { type InputEnd, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { showBufferedPrompt } from './blocks/prompt.ts'
import { closeText, isAnswer } from './blocks/text.ts'
import { showBufferedMessage } from './blocks/user.ts'
import { AcpContext, type TextBlock } from './context.ts'
import { NOTES } from './notes.ts'
import { open } from './open.ts'
import { translateLine } from './routing/translate-line.ts'
import { translateMessage } from './routing/translate-message.ts'
import { readMessage } from './rpc.ts'

// A message takes these steps:
// - `rpc.ts` reads a message of any form as a call or a response
// - `routing/` finds the session, and the conversation of an update
// - `blocks/`, `calls/`, `agents/`, `requests.ts` and `tokens.ts` translate the update into session events

/**
 * Reads the messages of the Agent Client Protocol, version 1, of any agent:
 * - a log of both directions: `{ dir, at, msg }`, where `in` is from the agent
 * - JSON-RPC messages without a log, of one side or of both
 * - the bare params of `session/update`: `{ sessionId, update }`
 * - lines of a program's own stream with these updates, such as Grok's `streaming-json`
 */
export const acpSource: Source = /* @__PURE__ */ defineSource({
  notes: NOTES,
  begin: (session) => new AcpContext(session),
  translate,
  end,
  open,
})

function translate(message: unknown, context: AcpContext): void {
  const read = context.read(message)
  const known = isObject(read) ? readMessage(read) : undefined
  if (known) translateMessage(known, context)
  else if (isObject(read) && translateLine(read, context)) return
  else context.reportUnknown('unknown-message', isObject(read) ? nameOf(read) : 'no object')
}

function nameOf({ method, type, msg }: JsonObject): string {
  return typeName(method ?? (isObject(msg) ? msg.method : type))
}

/** Shows what waits. A text of a turn or an agent that the end of the input cuts stays open. */
function end(context: AcpContext): InputEnd {
  showBufferedPrompt(context)
  for (const id of context.conversations()) {
    showBufferedMessage(id, context)
    const open = context.openText(id)
    if (open?.status === 'pending' && endsItself(id, open, context)) closeText(id, context)
  }
  return context.endInput()
}

/** Whether the text is complete at the end of the input: it ends its turn, or belongs to none. */
function endsItself(conversationId: string, open: TextBlock, context: AcpContext): boolean {
  if (conversationId === MAIN) return context.turn.status !== 'running' || isAnswer(open, context)
  return isFinal(context.agentOfCall(conversationId)?.status ?? 'running')
}
