import { asString, isObject, type JsonObject } from '../../../core/json/values.ts'
import { messageIdOf } from '../../../core/state/block.ts'
import { MAIN, type SessionConversationState } from '../../../core/state/session.ts'
import { TranslationContext, typeName } from '../../../reading/context.ts'
import { defineSource } from '../../../reading/define-source.ts'
import type { TranscriptRules } from '../../../reading/input/transcripts.ts'
import type { Source } from '../../../reading/source.ts'
import { noteReusedIds } from '../reused-ids.ts'
import { conversationOf } from './agents.ts'
import { isMark, showStep } from './show-step.ts'
import { type Step, type StepContext, stepNotes } from './step.ts'

/** A format whose files hold whole messages, one in each line. */
interface StepFormat {
  /** The name of the source. */
  readonly name: string
  /** The first name of the program. */
  readonly program: string
  /** Returns what a line says, in order: nothing, if it adds nothing. Undefined for a line that the program does not write. */
  readonly read: (line: JsonObject) => readonly Step[] | undefined
  /** How the files of a session become one stream of lines. */
  readonly transcripts: TranscriptRules
}

/**
 * Returns the source of such a format. A line of an agent's file has the field `agentId`, which the rules for transcripts
 * add. It waits until a call has started the agent.
 */
export function stepSource({ name, program, read, transcripts }: StepFormat): Source {
  return defineSource({
    transcripts,
    notes: /* @__PURE__ */ stepNotes(name),
    begin: (session) => new TranslationContext(session),
    translate(message, context) {
      const line = context.read(message)
      if (!isObject(line)) return context.reportUnknown('unknown-message', 'no object')
      const agentId = asString(line.agentId)
      if (agentId === undefined) showLine(line, read(line), MAIN, context)
      else translateAgentLine(agentId, line, context)
      showWaiting(context)
      context.nameSession({ program })
    },
    open,
    end: (context) =>
      context.endInput({ unplaced: context.notes.values.waiting.entries().map(([agentId]) => agentId) }),
  })

  function showLine(
    line: JsonObject,
    steps: readonly Step[] | undefined,
    conversationId: string,
    context: StepContext,
  ): void {
    if (!steps) return context.reportUnknown('unknown-message', typeName(line.type ?? line.kind ?? line.role))
    for (const step of steps) showStep(conversationId, step, context)
  }

  function translateAgentLine(agentId: string, line: JsonObject, context: StepContext): void {
    const steps = read(line)
    const conversationId = conversationOf(agentId, { callId: callIn(steps) }, context)
    if (conversationId !== undefined) return showLine(line, steps, conversationId, context)
    context.notes.buffer('waiting', agentId, line)
    if (context.notes.values.firstPrompts.get(agentId) !== undefined) return
    const prompt = (steps ?? []).map(promptOf).find((text) => text !== undefined)
    if (prompt !== undefined) context.notes.setEntry('firstPrompts', agentId, prompt)
  }

  /** Shows the lines of agents that a call has started since they came. */
  function showWaiting(context: StepContext): void {
    if (context.notes.values.waiting.isEmpty) return
    for (const [agentId] of context.notes.values.waiting.entries()) {
      const conversationId = conversationOf(
        agentId,
        { firstPrompt: context.notes.values.firstPrompts.get(agentId) },
        context,
      )
      if (conversationId === undefined) continue
      context.notes.removeEntry('firstPrompts', agentId)
      for (const line of context.notes.takeBuffered('waiting', agentId))
        showLine(line, read(line), conversationId, context)
    }
  }
}

/** A mark is behind the last message, which the state has. */
function open(state: SessionConversationState, context: StepContext): void {
  noteReusedIds(state, context.notes)
  const last = state.blocks.findLast(({ id }) => !isMark(id))
  if (last) context.notes.remember({ last: messageIdOf(last) ?? last.id })
}

/** Returns the call that the lines of an agent's file name as its own. */
function callIn(steps: readonly Step[] = []): string | undefined {
  return steps.map((step) => (step.type === 'facts' ? step.callId : undefined)).find((id) => id !== undefined)
}

/** Returns the words of a parent to its agent. */
function promptOf(step: Step): string | undefined {
  return step.type === 'prompt' && step.origin === undefined && typeof step.content === 'string'
    ? step.content
    : undefined
}
