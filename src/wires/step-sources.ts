import { asString, isObject, type JsonObject } from '../core/json/values.ts'
import { messageIdOf } from '../core/state/block.ts'
import { MAIN, type SessionConversationState } from '../core/state/session.ts'
import { antigravity } from '../programs/antigravity/program.ts'
import { continueProgram } from '../programs/continue/program.ts'
import { droid } from '../programs/droid/program.ts'
import { hermes } from '../programs/hermes/program.ts'
import { kiro } from '../programs/kiro/program.ts'
import type { StepWire } from '../programs/program.ts'
import { vibe } from '../programs/vibe/program.ts'
import { TranslationContext, typeName } from '../reading/context.ts'
import { defineSource } from '../reading/define-source.ts'
import type { TranscriptRules } from '../reading/input/transcripts.ts'
import type { Source } from '../reading/source.ts'
import { aiderSource } from './aider/source.ts'
import { antigravityRules, readStep } from './antigravity/format.ts'
import { continueRules } from './continue/format.ts'
import { readValue } from './continue/read.ts'
import { droidRules } from './droid/format.ts'
import { readLine as readDroidLine } from './droid/read.ts'
import { hermesRules, readRow } from './hermes/format.ts'
import { kiroRules, readLine as readKiroLine } from './kiro/format.ts'
import { noteReusedIds } from './kit/reused-ids.ts'
import { conversationOf } from './kit/steps/agents.ts'
import { isMark, showStep } from './kit/steps/show-step.ts'
import { type Step, type StepContext, stepNotes } from './kit/steps/step.ts'
import { readLine as readVibeLine, vibeRules } from './vibe/format.ts'

/** Reads a session of Kiro CLI: `<session>.jsonl`, and the facts in `<session>.json`. */
const kiroSource: Source = stepSource({
  name: 'kiro',
  program: kiro.names[0],
  read: readKiroLine,
  transcripts: kiroRules,
})

/** Reads a session of Mistral Vibe: `messages.jsonl`, the facts in `meta.json`, and the files of its agents. */
const vibeSource: Source = stepSource({
  name: 'vibe',
  program: vibe.names[0],
  read: readVibeLine,
  transcripts: vibeRules,
})

/** Reads a session of Antigravity: the steps in `transcript.jsonl`, and those of its agents. */
const antigravitySource: Source = stepSource({
  name: 'antigravity',
  program: antigravity.names[0],
  read: readStep,
  transcripts: antigravityRules,
})

/** Reads a session of Hermes Agent: the rows of its database. */
const hermesSource: Source = stepSource({
  name: 'hermes',
  program: hermes.names[0],
  read: readRow,
  transcripts: hermesRules,
})

/** Reads a session of Factory Droid: `<session>.jsonl`, its settings, the files of its agents, and the stream of `exec`. */
const droidSource: Source = stepSource({
  name: 'droid',
  program: droid.names[0],
  read: readDroidLine,
  transcripts: droidRules,
})

/** Reads a session of Continue: `<session>.json`, and the output of `cn -p --format json`. */
const continueSource: Source = stepSource({
  name: 'continue',
  program: continueProgram.names[0],
  read: readValue,
  transcripts: continueRules,
})

/** The sources of the wires of whole messages. Each is small, and they share their code, so a page loads them as one. */
export const STEP_SOURCES: { readonly [Name in StepWire]: Source } = {
  kiro: kiroSource,
  vibe: vibeSource,
  antigravity: antigravitySource,
  hermes: hermesSource,
  aider: aiderSource,
  droid: droidSource,
  continue: continueSource,
}

/** Whether the name is that of such a wire. */
export function isStepWire(name: unknown): name is StepWire {
  return typeof name === 'string' && Object.hasOwn(STEP_SOURCES, name)
}

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
 * Returns the source of such a format. A line of an agent's file has the `agentField` of the rules for transcripts. It
 * waits until a call has started the agent.
 */
function stepSource({ name, program, read, transcripts }: StepFormat): Source {
  const { agentField = 'agentId' } = transcripts
  return defineSource({
    transcripts,
    notes: /* @__PURE__ */ stepNotes(name),
    begin: (session) => new TranslationContext(session),
    translate(message, context) {
      const line = context.read(message)
      if (!isObject(line)) return context.reportUnknown('unknown-message', 'no object')
      const agentId = asString(line[agentField])
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
