import type { OpencodeContext } from '../context.ts'
import { knownSession, rememberSession } from '../known/session.ts'

const NANO = 1e9

/** Sets the cost of a session, in US dollars, to the one that OpenCode reports for it. */
export function setSessionCost(sessionId: string, dollars: number, context: OpencodeContext): void {
  const session = knownSession(sessionId, context)
  if (!session.reportsCost) rememberSession({ ...session, reportsCost: true }, context)
  addCost(sessionId, dollars - session.nanoDollars / NANO, context)
}

/** Adds the cost of a step, in US dollars, if OpenCode does not report the cost of the whole session. */
export function addStepCost(sessionId: string, dollars: number, context: OpencodeContext): void {
  if (!knownSession(sessionId, context).reportsCost) addCost(sessionId, dollars, context)
}

/** The total includes all subagents. OpenCode reports zero for a model without a known price. */
function addCost(sessionId: string, dollars: number, context: OpencodeContext): void {
  const session = knownSession(sessionId, context)
  const added = Math.round(dollars * NANO)
  const nanoDollars = context.memory.nanoDollars + added
  if (added === 0 || !Number.isSafeInteger(nanoDollars)) return
  rememberSession({ ...session, nanoDollars: session.nanoDollars + added }, context)
  context.remember({ nanoDollars })
  context.updateFacts({ costUsd: nanoDollars / NANO })
}
