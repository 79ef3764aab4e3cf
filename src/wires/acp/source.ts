import { isObject, type JsonObject } from '../../json/values.ts'
import { type InputEnd, typeName } from '../../session/context.ts'
import { defineSource } from '../../session/define-source.ts'
import type { Source } from '../../session/source.ts'
import { showHeldPrompt } from './blocks/prompt.ts'
import { closeText } from './blocks/text.ts'
import { showHeldMessage } from './blocks/user.ts'
import { AcpContext } from './context.ts'
import { NOTES } from './memory-shape.ts'
import { resume } from './resume/resume.ts'
import { translateMessage } from './routing/translate-message.ts'
import { readMessage } from './rpc/read-message.ts'

// A message takes these steps:
// - `reading/rpc/` reads a message of any form as a call or a response
// - `reading/routing/` finds the session, and the conversation of an update
// - `reading/blocks/`, `calls/`, `requests/` and `agents/` translate the update into session events
// - `reading/memory.ts` holds the facts from earlier messages
// `writing/` is the other direction: it makes the updates of a state.

/**
 * Reads the messages of the Agent Client Protocol, version 1, of any agent:
 * - a log of both directions: `{ dir, at, msg }`, where `in` is from the agent
 * - JSON-RPC messages without a log, of one side or of both
 * - the bare params of `session/update`: `{ sessionId, update }`
 */
export const acpSource: Source = /* @__PURE__ */ defineSource({
  notes: NOTES,
  begin: (session) => new AcpContext(session),
  translate,
  end,
  open: resume,
})

function translate(message: unknown, context: AcpContext): void {
  const read = context.read(message)
  const known = isObject(read) ? readMessage(read) : undefined
  if (known) translateMessage(known, context)
  else context.reportUnknown('unknown-message', isObject(read) ? nameOf(read) : 'no object')
}

function nameOf({ method, type, msg }: JsonObject): string {
  return typeName(method ?? (isObject(msg) ? msg.method : type))
}

function end(context: AcpContext): InputEnd {
  showHeldPrompt(context)
  for (const { id } of context.memory.threads.values()) {
    showHeldMessage(id, context)
    closeText(id, context)
  }
  return context.endInput()
}
