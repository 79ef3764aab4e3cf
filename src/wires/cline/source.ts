import { asString, isObject, isString } from '../../core/json/values.ts'
import { messageIdOf } from '../../core/state/block.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { type InputEnd, type Memory, TranslationContext, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { clineRules } from './format.ts'
import { isIndex, isStoredFile, readLine } from './messages.ts'
import { type ClineContext, type ClineNotes, NOTES } from './notes.ts'
import { placedReplies } from './place.ts'
import { translateFile } from './stored.ts'
import { showReply, translateLine } from './stream.ts'
import { endByIndex } from './turn.ts'

/**
 * Makes the notes that are needed to go on from a state. They have the replies that go on, the time up to which each
 * conversation is known, and the time of the last block.
 */
function open({ blocks, subagents }: SessionConversationState, memory: Memory<ClineContext>): void {
  const threads = [
    { id: MAIN, blocks },
    ...subagents.map(({ toolUseId: id, ...thread }) => ({ id, ...thread })),
  ]
  for (const thread of threads) {
    const last = thread.blocks.findLast((block) => messageIdOf(block) !== undefined)
    const reply = last && messageIdOf(last)
    if (reply !== undefined && thread.blocks.at(-1) === last)
      memory.notes.setEntry('replies', thread.id, reply)
  }
  for (const { id, blocks: own } of threads) {
    const last = own.findLast(({ timestamp }) => timestamp !== undefined)?.timestamp
    if (last !== undefined && (id === MAIN || memory.state.hasEnded(id)))
      memory.notes.setEntry('covered', id, last)
  }
  // The words of an agent's end follow the hook, and name no agent.
  const ended = subagents.find(({ status, output }) => isFinal(status) && output === undefined)
  if (ended) memory.notes.remember({ lastActor: ended.toolUseId })
  const times = threads.flatMap((thread) => thread.blocks.flatMap(({ timestamp }) => timestamp ?? []))
  const time = times.sort().at(-1)
  if (time !== undefined) memory.notes.remember({ stream: { time, seen: [] } })
}

/**
 * Reads two forms of a session of Cline CLI:
 * - the lines of `cline --json`
 * - the files of the session and of its agents, each of which is one message
 */
export const clineSource: Source = /* @__PURE__ */ defineSource({
  transcripts: clineRules,
  notes: NOTES,
  begin: (session) => new TranslationContext<ClineNotes>(session),
  translate,
  end,
  open,
})

function translate(message: unknown, context: ClineContext): void {
  const value = context.read(message)
  if (!isObject(value)) return context.reportUnknown('unknown-message', 'no object')
  if (isStoredFile(value))
    return translateFile(value, isString(value.agentId) ? value.agentId : undefined, context)
  if (isIndex(value)) {
    context.addMissingFacts({ id: value.session_id, cwd: asString(value.cwd) })
    return endByIndex(asString(value.status) ?? '', asString(value.ended_at), context)
  }
  const line = readLine(value)
  if (!line) return context.reportUnknown('unknown-message', typeName(value.type))
  translateLine(line, JSON.stringify(value), context)
}

function end(context: ClineContext): InputEnd {
  for (const { conversationId, reply } of placedReplies(true, context))
    showReply(conversationId, reply, context)
  return context.endInput()
}
