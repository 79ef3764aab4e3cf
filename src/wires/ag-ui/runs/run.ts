import { asArray, asObject, asString, type JsonObject } from '../../../json/values.ts'
import { AG_UI } from '../../../programs/generic/program.ts'
import { isoTime } from '../../../session/time.ts'
import { MAIN } from '../../../state/session.ts'
import { completeAgents } from '../agents/run.ts'
import type { AgUiContext } from '../context.ts'
import { NO_SESSION } from '../ids.ts'
import { closeLanes } from '../messages/lanes.ts'
import { addMessage } from '../messages/message.ts'
import { answerInterrupts, showInterrupts } from './requests.ts'
import { reportUsage } from './usage.ts'

/** Begins a run, and with it main's turn. A run with the id of an earlier one comes again, until it has something new. */
export function startRun(event: JsonObject, context: AgUiContext): void {
  const id = asString(event.runId) ?? ''
  updateThread(asString(event.threadId), context)
  const { run, endedRuns } = context.memory
  if (endedRuns.get(id) !== undefined) context.remember({ run: { id, isRepeated: true } })
  else if (run?.id !== id) beginRun(id, event, context)
  const { messages } = asObject(event.input)
  for (const message of asArray(messages)) addMessage(asObject(message), context)
}

/** The first thread is the session. Runs of another thread are read too, and counted. */
function updateThread(id: string | undefined, context: AgUiContext): void {
  const known = context.facts.id
  context.updateFacts({ protocol: AG_UI })
  if (id === undefined || id === known) return
  if (known === undefined || known === NO_SESSION) context.updateFacts({ id })
  else context.reportUnknown('other-session', 'RUN_STARTED')
}

function beginRun(id: string, { input, timestamp }: JsonObject, context: AgUiContext): void {
  // The run before has ended without a report.
  if (context.memory.run && !context.memory.run.isRepeated) endRun({ outcome: 'interrupted' }, context)
  answerInterrupts(asObject(input).resume, context)
  context.remember({ run: { id }, hasRuns: true })
  context.startTurn(isoTime(timestamp))
}

/** Ends a run. A run with interrupts goes on after the answers, so main's turn waits. */
export function finishRun(event: JsonObject, context: AgUiContext): void {
  const { type, interrupts } = asObject(event.outcome)
  closeRun(event, context)
  if (context.memory.run?.isRepeated) return forgetRun(context)
  const timestamp = isoTime(event.timestamp)
  if (type !== 'interrupt')
    return endRun({ outcome: type === 'cancelled' ? 'interrupted' : 'finished', timestamp }, context)
  context.startTurn()
  forgetRun(context)
  showInterrupts(interrupts, context)
}

/** Ends a run that failed. */
export function failRun(event: JsonObject, context: AgUiContext): void {
  closeRun(event, context)
  if (context.memory.run?.isRepeated) return forgetRun(context)
  const timestamp = isoTime(event.timestamp)
  endRun({ outcome: 'failed', error: asString(event.message), timestamp }, context)
}

function closeRun({ usage, runId }: JsonObject, context: AgUiContext): void {
  closeLanes(context)
  reportUsage(asString(runId) ?? context.memory.run?.id ?? '', usage, context)
}

interface RunEnd {
  readonly outcome: 'finished' | 'interrupted' | 'failed'
  readonly error?: string | undefined
  readonly timestamp?: string | undefined
}

function endRun({ outcome, error, timestamp }: RunEnd, context: AgUiContext): void {
  completeAgents(outcome === 'finished' ? 'completed' : 'error', context)
  forgetRun(context)
  context.endTurn({
    outcome,
    ...(error !== undefined && { error }),
    ...(timestamp !== undefined && { timestamp }),
  })
  context.finalizeKnown(MAIN, 'complete')
}

function forgetRun(context: AgUiContext): void {
  const { run } = context.memory
  if (run) context.setEntry('endedRuns', run.id, run.id)
  context.remember({ run: undefined, hasRuns: true })
}
