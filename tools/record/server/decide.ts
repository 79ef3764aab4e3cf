import type { ProgramTools } from '../program.ts'
import { type Reply, reportOf, type Scenario, type Step } from '../script.ts'
import { type Cast, nextStep, type Role } from './cast.ts'
import type { ModelRequest, Tokens } from './dialect.ts'
import type { LogEntry, LoggedCall } from './log.ts'

/** The model of a scenario. */
export interface Model {
  readonly scenario: Scenario
  readonly tools: ProgramTools
  readonly work: string
  readonly cast: Cast
  readonly log: LogEntry[]
}

/** Returns the answer to a request, and its line of the log. */
export function decide(
  model: Model,
  request: ModelRequest,
): { readonly entry: LogEntry; readonly reply: Reply } {
  const own = ownPurpose(model, request)
  if (own !== undefined) return ownAnswer(model, request, own)
  const role = model.cast.roleOf(request)
  const next = role && nextReply(model, role, request)
  if (!role || !next) return ownAnswer(model, request, 'unscripted')
  const { reply, calls } = next
  for (const mark of [reply.say ?? '', ...calls.map(({ id }) => id)])
    if (mark !== '') role.marks.add(mark.trim())
  return { entry: { ...lineOf(model, request, reply, calls), agent: role.agent.key, step: next.step }, reply }
}

interface NextReply {
  readonly step: number
  readonly reply: Reply
  readonly calls: readonly LoggedCall[]
}

function nextReply(model: Model, role: Role, request: ModelRequest): NextReply | undefined {
  passEndedTurns(role, request)
  const step = nextStep(role)
  if (step === undefined) return undefined
  const { place } = role
  if ('awaits' in step) return awaitingReply(model, role, step, request) ?? nextReply(model, role, request)
  // A program may ask again after an error of its own. The answer stays the same.
  if (!isFinalError(step.reply)) role.place += 1
  const { work, tools } = model
  const { say, calls: further, status, stops } = step.reply
  const isWhole = status === undefined && stops === undefined
  const isLast = further === undefined && isWhole && say === reportOf(role.agent)
  const isReport = role.agent.parent !== null && isLast
  if (tools.report && isReport) {
    const call = { ...tools.report(step.reply.say ?? ''), id: callId(model, 0) }
    return { step: place, reply: {}, calls: [call] }
  }
  const calls = (step.reply.calls ?? []).map((scripted, at) => ({
    ...tools.call(scripted, { work, tools: request.tools }),
    id: callId(model, at),
    scripted,
  }))
  return { step: place, reply: step.reply, calls }
}

/** What comes before the last prompt of the request is over: an error, or a wait for agents that were stopped. */
function passEndedTurns(role: Role, { users }: ModelRequest): void {
  const isAsked = (step: Step) => 'prompt' in step && users.some((text) => text.includes(step.prompt))
  role.place = Math.max(role.place, role.agent.steps.findLastIndex(isAsked))
}

function isFinalError({ status }: Reply): boolean {
  return status !== undefined && status < 500
}

/** Returns the reply that waits for agents: a call, or the text alone if the program reports by itself. */
function awaitingReply(
  model: Model,
  role: Role,
  { awaits, say }: { readonly awaits: readonly string[]; readonly say?: string },
  request: ModelRequest,
): NextReply | undefined {
  const { place } = role
  const agents = model.scenario.agents.filter(({ key }) => awaits.includes(key))
  const call = model.tools.wait?.(request, agents.map(reportOf))
  if (call) {
    const isFirst = say !== undefined && !role.marks.has(say)
    return { step: place, reply: isFirst ? { say } : {}, calls: [{ ...call, id: callId(model, 0) }] }
  }
  role.place += 1
  return say === undefined || model.tools.wait ? undefined : { step: place, reply: { say }, calls: [] }
}

function callId({ scenario, log }: Model, at: number): string {
  return `call_${scenario.name}_${log.length + 1}_${at + 1}`
}

const OWN_ANSWERS = {
  title: 'A demo session',
  summary: 'SUMMARY: the lines were counted.',
  unscripted: 'Nothing is scripted here.',
} as const

function ownAnswer(model: Model, request: ModelRequest, own: keyof typeof OWN_ANSWERS) {
  const role = own === 'summary' ? model.cast.roleOf(request) : undefined
  if (!role || role.agent.parent === null) {
    const reply: Reply = { say: OWN_ANSWERS[own] }
    return { entry: { ...lineOf(model, request, reply, []), own }, reply }
  }
  // The next request of the agent may have nothing else that shows whose it is.
  const say = `${OWN_ANSWERS.summary.slice(0, -1)} by ${role.agent.key}.`
  role.marks.add(say)
  return { entry: { ...lineOf(model, request, { say }, []), own, summaryOf: role.agent.key }, reply: { say } }
}

/** Returns why the program asks the model for itself, if it does. */
function ownPurpose(
  { scenario, work }: Model,
  { users, tools }: ModelRequest,
): 'title' | 'summary' | undefined {
  // Kilo names the folder behind each prompt, and the folder has the name of the scenario.
  const last = (users.at(-1) ?? '').replaceAll(work, '')
  const isScripted = scenario.agents.some(({ steps }) =>
    steps.some(
      (step) => 'prompt' in step && (last.startsWith(step.prompt) || last.trimEnd().endsWith(step.prompt)),
    ),
  )
  const hasSummary = last.includes(OWN_ANSWERS.summary.slice(0, -1))
  // The report of an agent in the background has a summary too.
  const isReport = last.trimStart().startsWith('<task')
  const asksForSummary = /summar|checkpoint|compact/i.test(last) && !hasSummary && !isReport
  if (scenario.compactsAbove !== undefined && asksForSummary && !isScripted) return 'summary'
  // A request for a title has no tools, or one that takes it. Grok has a line for its dashboard too.
  const asksForLine = !isScripted && /dashboard line|session title/i.test(last)
  return asksForLine || tools.every((name) => /title/.test(name)) ? 'title' : undefined
}

function lineOf(
  { log }: Model,
  { model, tools, results }: ModelRequest,
  reply: Reply,
  calls: readonly LoggedCall[],
): LogEntry {
  const number = log.length + 1
  const seen = new Set(log.flatMap((entry) => entry.results.map(({ id }) => id)))
  return {
    number,
    model,
    tools,
    results: results.filter(({ id }) => !seen.has(id)),
    ...(reply.think !== undefined && { think: reply.think }),
    ...(reply.say !== undefined && { say: reply.say }),
    calls,
    tokens: tokensOf(reply, number),
    outcome: reply.status === undefined ? 'whole' : `status ${reply.status}`,
  }
}

/** Each request has other counts, so that a count in the wrong place shows. */
function tokensOf({ think, inputTokens }: Reply, number: number): Tokens {
  const reasoning = think === undefined ? 0 : 5 + number
  return {
    input: inputTokens ?? 400 + 31 * number,
    output: 20 + 3 * number + reasoning,
    cacheRead: number > 1 ? 1000 + 64 * number : 0,
    cacheWrite: 0,
    reasoning,
  }
}
