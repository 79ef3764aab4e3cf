import type { OpencodeContext } from '../context.ts'
import { knownSession } from '../records/session.ts'

const NANO = 1e9

/** Sets the cost of a session, in US dollars, to the one that OpenCode reports for it. */
export function setSessionCost(sessionId: string, dollars: number, context: OpencodeContext): void {
  const session = knownSession(sessionId, context)
  if (session.resumedCost === 'shared') return raiseTotal(dollars, context)
  // An event that repeats an earlier cost takes nothing back.
  if (session.resumedCost === 'own' && nanoDollarsOf(dollars) < session.nanoDollars) return
  if (!session.reportsCost)
    Object.assign(context.ownSession(sessionId), { reportsCost: true, resumedCost: undefined })
  addCost(sessionId, dollars - session.nanoDollars / NANO, context)
}

/** Adds the cost of a step, in US dollars, if OpenCode does not report the cost of the whole session. */
export function addStepCost(sessionId: string, dollars: number, context: OpencodeContext): void {
  if (!knownSession(sessionId, context).reportsCost) addCost(sessionId, dollars, context)
}

/** A session's own cost is a lower bound of the total. */
function raiseTotal(dollars: number, context: OpencodeContext): void {
  setTotal(Math.max(context.memory.nanoDollars, nanoDollarsOf(dollars)), context)
}

/** The total includes all subagents. OpenCode reports zero for a model without a known price. */
function addCost(sessionId: string, dollars: number, context: OpencodeContext): void {
  const added = nanoDollarsOf(dollars)
  if (added === 0 || !Number.isSafeInteger(context.memory.nanoDollars + added)) return
  context.ownSession(sessionId).nanoDollars += added
  setTotal(context.memory.nanoDollars + added, context)
}

function setTotal(nanoDollars: number, context: OpencodeContext): void {
  if (nanoDollars === context.memory.nanoDollars || !Number.isSafeInteger(nanoDollars)) return
  context.remember({ nanoDollars })
  context.updateFacts({ costUsd: nanoDollars / NANO })
}

/** Returns a cost in US dollars as whole units of 1e-9 US dollars. */
export function nanoDollarsOf(dollars: number): number {
  return Math.round(dollars * NANO)
}
