import { isDeepStrictEqual } from 'node:util'
import type { SubagentBlock, ToolResultBlock, ToolUseBlock } from '../../src/core/state/block.ts'
import {
  type BlockOf,
  branches,
  type ConversationBlock,
  type ConversationThread,
  fileChanges,
  type SessionConversationState,
  type SubagentState,
  sumUsage,
} from '../../src/entries/index.ts'
import { STEP_SOURCES } from '../../src/wires/step-sources.ts'
import { withShownOrder } from './call-order.ts'
import type { FactAgent, FactCall, FactItem, FactRequest, FactResult, Facts } from './facts.ts'
import { modelsIn, picturesIn, statedPictures } from './picture-facts.ts'
import {
  claudeFacts,
  clineFacts,
  codexFacts,
  copilotFacts,
  geminiFacts,
  kimiFacts,
  opencodeFacts,
  piFacts,
  qwenFacts,
  stepsFacts,
} from './program-facts.ts'

/** How a form of a session differs from the facts. */
interface FactsOfForm {
  /** The name of the form in `facts.forms`. */
  readonly form: string
}

/** How a program's blocks show the calls of the model. */
export interface ProgramFacts {
  /** Whether no block shows the call. */
  readonly hasNoBlock?: (call: FactCall) => boolean
  readonly isSameCall?: (call: FactCall, block: ToolUseBlock) => boolean
  /** Whether the block is no call of the model. */
  readonly hasNoFact?: (block: ToolUseBlock) => boolean
  /** Whether a result has the words of the model's result in another form. */
  readonly isSameResult?: (result: FactResult, block: ToolResultBlock, call: FactCall) => boolean
  /** Whether the program has started the agent without a call. */
  readonly isWithoutCall?: (agent: SubagentBlock) => boolean
  /** Whether a prompt has the person's words, and others that the program's interface adds. */
  readonly isSamePrompt?: (stated: string, shown: string) => boolean
  /** Whether a text may be cut after a space. The facts state it without the space. */
  readonly cutsAfterSpaces?: boolean
  /** Whether a form without the work of agents lacks the end of an agent in the background too. */
  readonly hidesBackgroundEnds?: boolean
  /** Whether a form without the folder of the session has the paths of files as the model wrote them. */
  readonly hasRelativePaths?: boolean
  /** Whether the answer `cancel` refuses a request. Other programs withdraw the request. */
  readonly cancelRefuses?: boolean
  /** Whether the facts state only some texts of a branch. */
  readonly statesPartOfBranch?: boolean
  /** Whether no form has the exit codes of the person's own commands. */
  readonly hidesExitCodes?: boolean
  /** Whether a call that starts agents has a block of its own beside theirs. */
  readonly hasOwnBlock?: (call: FactCall) => boolean
  /** Whether the result only states that an agent has started. */
  readonly isLaunch?: (result: FactResult, agent: SubagentBlock) => boolean
  /** Whether the input in the facts has the tokens that came from the cache, and the output lacks those of the thinking. */
  readonly inputIncludesCached?: boolean
  readonly outputExcludesReasoning?: boolean
  /** Whether a request whose reply was cut or failed leaves no tokens, and one that was repeated no trace. */
  readonly countsWholeReplies?: boolean
}

/**
 * Returns the differences between a state after its input has ended and the facts of the recording. Facts tell the moment of the last message:
 * what runs then has no end, so the state shows it as cut.
 */
export function factDifferences(
  state: SessionConversationState,
  facts: Facts,
  { form }: FactsOfForm,
): readonly string[] {
  const lacks = new Set(facts.forms[form]?.lacks)
  const lacksCalls = new Set(facts.forms[form]?.lacksCalls)
  const lacksAgents = new Set(facts.forms[form]?.lacksAgents)
  const program = programFacts(facts)
  /** Whether the form shows no call of the item: the item is such a call, or its result. */
  const isWithoutCall = (item: FactItem, { items }: FactAgent) => {
    const call = item.type === 'result' ? items[item.call] : item
    const next = items[items.indexOf(call ?? item) + 1]
    const started = call?.type === 'call' && next?.type === 'agent' ? next : call
    if (started?.type === 'agent') return lacksAgents.has(started.key)
    return call?.type === 'call' && (lacksCalls.has(call.name) || program.hasNoBlock?.(call) === true)
  }
  const differences: string[] = []
  // The program has refused these calls, so the facts have no agent of theirs. The state has one that failed with the program's words.
  const refused = new Set(
    facts.agents.flatMap(({ items }) => items.flatMap((_, at) => refusedCall(items, at) ?? [])),
  )
  const expect = (what: string, actual: unknown, expected: unknown) => {
    if (!isDeepStrictEqual(actual, expected))
      differences.push(`${what}: ${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`)
  }

  const checkAgent = (scripted: FactAgent, thread: ConversationThread) => {
    const isMain = scripted.parent === null
    const isLacking = (word: string) => lacks.has(word) || (!isMain && lacks.has(`child-${word}`))
    const agent = isLacking('call-order')
      ? withShownOrder(
          scripted,
          callsOf(thread),
          program.isSameCall ?? ((call, { toolUseId }) => call.id === toolUseId),
        )
      : scripted
    const items = agent.items.filter(
      (item, at) =>
        !isStartOfAgent(agent.items, at, program) &&
        !isResumption(agent.items, at) &&
        !isLackingItem(item, isLacking) &&
        !isCommand(item) &&
        !isWithoutCall(item, agent),
    )
    const all = thread.blocks.flatMap((block) =>
      (block.type === 'subagent' && program.isWithoutCall?.(block)) ||
      (block.type === 'tool_use' && (program.hasNoFact?.(block) || isPersonCommand(block)))
        ? []
        : wordsOfBlock(block, isLacking),
    )
    const calls = callsOf(thread)
    const last = all.at(-1)?.replace(/^(?:text|thinking) /, '')
    // The files of OpenCode have an agent whose call they lost at the end.
    const lost = lacks.has('branches') ? abandonedIn(agent.key) : []
    const words = [
      ...items.flatMap((item) => wordsOfItem(withShownCut(item, agent, last), agent, calls)),
      ...lost.flatMap(({ key }) => wordsOf({ type: 'agent', key })),
    ]
    const isNoise = (text: string) =>
      !text.startsWith('call ') && !words.includes(text) && facts.noise?.some((word) => text.includes(word))
    const shown = all.filter((text) => !isNoise(text))
    const cuts = items.flatMap((item) => (item.type === 'cut' ? wordsOf(item) : []))
    expect(`${agent.key}: items`, shown.map(statedPrompt(words)).map(statedCut(cuts)), words)
    checkResults(agent, thread, isLacking)
    const pictures = statedPictures(agent.items)
    if (pictures && !isLacking('prompts') && !isLacking('prompt-pictures'))
      expect(`${agent.key}: pictures`, picturesIn(thread), pictures)
    if (!isLacking('tokens')) checkTokens(agent, thread, isLacking)
    if (agent.models && !isLacking('tokens') && !isLacking('models'))
      expect(`${agent.key}: models`, modelsIn(thread), agent.models)
  }

  /** Returns the words of a prompt as the facts state them, if both are the same prompt. */
  const statedPrompt = (words: readonly string[]) => (shown: string) =>
    words.find((word) => shown.startsWith('prompt ') && program.isSamePrompt?.(word, shown)) ?? shown

  const statedCut = (cuts: readonly string[]) => (shown: string) =>
    program.cutsAfterSpaces && cuts.includes(shown.trimEnd()) ? shown.trimEnd() : shown

  const isPersonCommand = (block: ToolUseBlock) =>
    facts.personCommands?.some(({ cmd }) => isCommandOf(block, cmd)) === true

  /** Returns the block of the call at that place. Calls that the form does not show take no place in the order. */
  const blockOf = (agent: FactAgent, at: number, calls: readonly CallBlock[]) =>
    blockOfCall(agent, at, calls, (item) => item.type === 'call' && !isWithoutCall(item, agent))

  /** Returns the words of an item. A call that the block shows in another way has the words of the block. */
  const wordsOfItem = (item: FactItem, agent: FactAgent, calls: readonly CallBlock[]): readonly string[] => {
    if (item.type !== 'call') return wordsOf(item)
    if (item.id !== undefined && refused.has(item.id)) return wordsOf({ type: 'agent', key: agent.key })
    const block = blockOf(agent, agent.items.indexOf(item), calls)
    const isSame = block?.type === 'tool_use' && program.isSameCall?.(item, block)
    if (isSame) return wordsOfBlock(block, () => false)
    return [wordsOfCall(item.name, item.input, (word) => lacks.has(word))]
  }

  const checkResults = (
    agent: FactAgent,
    thread: ConversationThread,
    isLacking: (word: string) => boolean,
  ) => {
    const calls = callsOf(thread)
    for (const item of agent.items) {
      const fact = item.type === 'result' ? agent.items[item.call] : undefined
      if (item.type !== 'result' || fact?.type !== 'call' || isWithoutCall(item, agent)) continue
      const call = blockOf(agent, item.call, calls)
      if (!call && isLacking('calls')) continue
      const what = `${agent.key}: result of ${call?.toolUseId ?? fact.id}`
      if (call?.type === 'subagent') {
        if (LAUNCHED.test(item.contains) || program.isLaunch?.(item, call)) continue
        expect(
          what,
          [call.status, isLacking('result-texts') || includes(call.output, lastReport(agent.items, item))],
          [item.isError || hasFailed(agent.items[item.call + 1]) ? 'error' : 'success', true],
        )
        continue
      }
      const results = thread.blocks.filter(
        (block): block is ToolResultBlock =>
          block.type === 'tool_result' && block.toolUseId === call?.toolUseId,
      )
      if (fact.process) {
        checkProcess(what, fact.process, results, isLacking)
        continue
      }
      // A stream may end a call that the person cancelled without a result.
      const isRefused = fact.flag === 'refused' || ABORTED.test(item.contains)
      if (isRefused && results.length === 0) {
        expect(`${what} that was cancelled`, call?.status, 'error')
        continue
      }
      const shown = results.map((block) => [
        lacks.has('result-errors') ? item.isError : block.isError,
        ABORTED.test(item.contains) ||
          isLacking('result-texts') ||
          (isLacking('pictures') && item.contains === IMAGE) ||
          includes(block.output, item.contains) ||
          program.isSameResult?.(item, block, fact) === true,
      ])
      expect(what, shown, [[item.isError, true]])
      const place = (id: string | undefined) => thread.blocks.findIndex((block) => block.id === id)
      expect(`${what} comes after it`, place(results[0]?.id) > place(call?.id), true)
    }
  }

  /** Whether the agent has failed. Its call may succeed. A form without the agents' work has only the result of the call. */
  const hasFailed = (item: FactItem | undefined) =>
    item?.type === 'agent' &&
    !lacks.has('children') &&
    facts.agents.find(({ key }) => key === item.key)?.status === 'error'

  /** Checks the result of a command that goes on: it has all output. A form may lack the first part. */
  const checkProcess = (
    what: string,
    { exitCode, output }: NonNullable<FactCall['process']>,
    results: readonly ToolResultBlock[],
    isLacking: (word: string) => boolean,
  ) => {
    const parts = isLacking('first-output') ? output.slice(1) : output
    const shown = results.map((block) => [
      block.isError,
      block.exitCode ?? null,
      parts.filter((part) => !includes(block.output, part)),
    ])
    expect(what, shown, [[exitCode !== 0 && exitCode !== null, exitCode, []]])
  }

  /** The turns of a fork that the person left are a branch. Their tokens were spent, as those of other branches. */
  const tokensOfForks = (name: string) => {
    const forks = facts.sessions?.flatMap(({ agents = [] }) =>
      agents.filter((agent) => agent.inherited !== undefined),
    )
    if (!forks || branches(state).length === 0) return 0
    return forks.reduce(
      (sum, { tokens: { [name]: count } }) => sum + (typeof count === 'number' ? count : 0),
      0,
    )
  }

  const checkTokens = (
    agent: FactAgent,
    thread: ConversationThread,
    isLacking: (word: string) => boolean,
  ) => {
    const copied = copiedMessages(agent, thread)
    const { final } = sumUsage(thread.usage.filter(({ messageId }) => !copied.has(messageId)))
    for (const [name, count] of Object.entries(agent.tokens)) {
      const field = TOKENS.get(name)
      if (!field || typeof count !== 'number' || isLacking(name)) continue
      const other = (agent.tokens.other?.[name] ?? 0) + (agent.parent === null ? tokensOfForks(name) : 0)
      const cached =
        name === 'input' && (agent.tokens.inputIncludesCached || program.inputIncludesCached)
          ? (final.cacheReadTokens ?? 0) + (final.cacheWriteTokens ?? 0)
          : 0
      const thought = name === 'output' && program.outputExcludesReasoning ? (final.reasoningTokens ?? 0) : 0
      const shown = (final[field] ?? 0) + cached - thought
      // A request whose reply was cut is one of them, and that reply has no final tokens.
      if (name === 'requests' && shown === count - cutRequests(agent)) continue
      if (
        name === 'requests' &&
        program.countsWholeReplies &&
        shown === count - unansweredRequests(agent, count)
      )
        continue
      // The facts do not state the tokens of a branch alone.
      if (agent.parent === null && isLacking('branch-tokens') && shown < count + other) continue
      expect(`${agent.key}: tokens ${name}`, shown, count + other)
    }
  }

  /** Pairs the agents below a conversation with their calls, in order. */
  const checkChildren = (key: string, thread: ConversationThread) => {
    const children = facts.agents.filter((agent) => agent.parent === key && !lacksAgents.has(agent.key))
    const keys = facts.agents
      .find((agent) => agent.key === key)
      ?.items.flatMap((item) => (item.type === 'agent' ? [item.key] : []))
    const ordered = [...children].sort((a, b) => (keys?.indexOf(a.key) ?? 0) - (keys?.indexOf(b.key) ?? 0))
    const active = thread.blocks.filter(
      (block): block is BlockOf<'subagent'> => block.type === 'subagent' && !refused.has(block.toolUseId),
    )
    const kept = ordered.filter((agent) => agent.abandoned !== true)
    // A rewind leaves the calls of some agents in its branch.
    const left = branches(state)
      .flatMap(({ blocks }) => blocks)
      .filter((block) => block.type === 'subagent')
    pairChildren(kept, active)
    pairChildren(abandonedIn(key), lacks.has('branches') ? active.slice(kept.length) : left)
  }

  const abandonedIn = (key: string) =>
    facts.agents.filter((agent) => agent.parent === key && agent.abandoned === true)

  const pairChildren = (agents: readonly FactAgent[], blocks: readonly BlockOf<'subagent'>[]) => {
    for (const [at, agent] of agents.entries()) {
      const found = state.subagents.find(({ toolUseId }) => toolUseId === blocks[at]?.toolUseId)
      if (!found) differences.push(`${agent.key}: no agent`)
      else checkChild(agent, found)
    }
  }

  /** Returns the status of an agent. A form without the agents' work has that of the call. */
  const statusOf = ({ key, parent, status }: FactAgent) => {
    const items = facts.agents.find((each) => each.key === parent)?.items ?? []
    const call = items.findIndex((item) => isAgentItem(item, key)) - 1
    const result = items.find((item) => item.type === 'result' && item.call === call)
    if (status !== 'running' && lacks.has('children') && result?.type === 'result')
      return result.isError ? 'error' : 'success'
    return status === 'success' ? 'success' : 'error'
  }

  const checkChild = (agent: FactAgent, found: SubagentState) => {
    const isUnknown = program.hidesBackgroundEnds && lacks.has('children') && found.openBlocks !== undefined
    if (!isUnknown) expect(`${agent.key}: status`, found.status, statusOf(agent))
    // A call may report, and nothing reports each run of a teammate.
    const report = agent.items.at(-1)
    const isReported = found.output !== undefined && !agent.items.some(({ type }) => type === 'message')
    if (found.status === 'success' && isReported && report?.type === 'text')
      expect(`${agent.key}: output`, includes(found.output, report.text), true)
    // An agent of a workflow has its label as its name.
    const name = agent.label ?? agent.name
    if (name !== undefined && !lacks.has('names')) expect(`${agent.key}: name`, found.name, name)
    if (agent.phase !== undefined) expect(`${agent.key}: phase`, found.phase, agent.phase)
    const isLost = agent.abandoned === true && lacks.has('branches')
    if (agent.prompt !== undefined && !isLost && !lacks.has('child-prompts') && !lacks.has('inputs'))
      expect(`${agent.key}: prompt`, found.prompt, agent.prompt)
    // A stream reports how the agents of a workflow stand, and nothing that they say.
    const isSilent = agent.label !== undefined && form === 'stream'
    if (!lacks.has('children') && !lacks.has('child-contents') && !isSilent) checkAgent(agent, found)
    checkChildren(agent.key, found)
  }

  for (const agent of facts.agents.filter(({ parent }) => parent === null)) {
    checkAgent(agent, state)
    checkChildren(agent.key, state)
  }
  const children = facts.agents.filter(({ key, parent }) => parent !== null && !lacksAgents.has(key))
  const started = state.subagents.filter(({ toolUseId }) => !refused.has(toolUseId))
  if (!lacks.has('children')) expect('agents', started.length, children.length)
  if (!lacks.has('ending')) expect('ending', state.turn.status, endingOf(facts))
  checkPersonCommands(state, facts, expect)
  checkSession(state, facts, lacks, expect)
  return differences
}

function programFacts({ program }: Pick<Facts, 'program'>): ProgramFacts {
  return PROGRAMS.find(([name]) => program.startsWith(name))?.[1] ?? {}
}

type Expect = (what: string, actual: unknown, expected: unknown) => void

/** Checks that each command which the person ran has its result. */
function checkPersonCommands(
  { blocks }: SessionConversationState,
  { personCommands = [], ...facts }: Pick<Facts, 'personCommands' | 'program'>,
  expect: Expect,
): void {
  const { hidesExitCodes } = programFacts(facts)
  for (const { cmd, exitCode, contains } of personCommands) {
    const call = blocks.find((block) => block.type === 'tool_use' && isCommandOf(block, cmd))
    const result = blocks.find((block) => block.type === 'tool_result' && block.toolUseId === call?.id)
    const shown = result?.type === 'tool_result' ? [result.exitCode, includes(result.output, contains)] : []
    expect(`command of the person ${cmd}`, shown, [hidesExitCodes ? undefined : exitCode, true])
  }
}

function isCommandOf({ input }: ToolUseBlock, command: string): boolean {
  return isDeepStrictEqual(input, { command })
}

/**
 * The model's reply to a request for a compaction, as the scripts begin it. It is no message of the conversation: a stored compaction has it in its summary,
 * and a live one has no words.
 */
const SUMMARY = /^SUMMARY\b/

/** A program that was killed has forwarded less of the last text than the model's server had sent. */
function withShownCut(item: FactItem, { status }: FactAgent, last = ''): FactItem {
  const isPart = item.type === 'cut' && status === 'running' && last !== '' && item.text.startsWith(last)
  return isPart ? { ...item, text: last } : item
}

/** Returns a request once for each of its questions, as the facts state them. */
function eachQuestion(block: BlockOf<'request'>): readonly BlockOf<'request'>[] {
  return block.questions === undefined ? [block] : block.questions.map(() => block)
}

/** Checks what the person took back. */
function checkBranches(
  shown: readonly { readonly blocks: readonly ConversationBlock[] }[],
  stated: readonly (readonly string[])[],
  expect: Expect,
  { statesPartOfBranch: statesPart = false }: ProgramFacts,
): void {
  expect(
    'branches',
    shown.map(({ blocks }, at) =>
      blocks
        .flatMap((block) => [...textsOfBlock(block), ...statedThinking(block, stated[at])])
        .filter((text) => !statesPart || stated[at]?.includes(text)),
    ),
    stated.map((texts) => texts.filter((text) => !SUMMARY.test(text))),
  )
  for (const [at, { blocks }] of shown.entries()) {
    const summaries = blocks.filter((block) => block.type === 'user_message' && block.origin === 'summary')
    const words = stated[at]?.filter((text) => SUMMARY.test(text)) ?? []
    const missing = words.filter((text) => !summaries.some((block) => includes(block, text)))
    if (summaries.length > 0) expect(`summaries of branch ${at}`, missing, [])
  }
}

/** Returns the model's thinking in a branch, if the facts state it. */
function statedThinking(block: ConversationBlock, stated: readonly string[] = []): readonly string[] {
  return block.type === 'thinking' && stated.includes(block.content) ? [block.content] : []
}

/** Checks the facts of the whole session. */
function checkSession(
  state: SessionConversationState,
  { branches: branched, requests, todos, changes, ...facts }: Facts,
  lacks: ReadonlySet<string>,
  expect: Expect,
): void {
  if (branched && !lacks.has('branches'))
    checkBranches(branches(state), branched, expect, programFacts(facts))
  // Some forms have the answers with words alone: of those that they lack, they may still have some.
  const isShown = (answer: string | undefined) =>
    !(answer === 'allow' && lacks.has('allowed-requests')) &&
    !(WORDLESS.has(answer ?? 'cancel') && lacks.has('wordless-requests'))
  const stated = requests
    ?.filter(({ answer }) => isShown(answer))
    .filter(({ kind }) => kind !== 'question' || !lacks.has('questions'))
  if (stated && !lacks.has('requests')) {
    const all = [state, ...state.subagents].flatMap(({ blocks }) => blocks)
    const blocks = all
      .flatMap((block) => (block.type === 'request' ? eachQuestion(block) : []))
      .filter((block) => isShown(answerOf(block)))
    const callOf = (toolUseId = '') =>
      all.find(({ id }) => id === toolUseId || id === `subagent:${toolUseId}`)
    const { cancelRefuses = false } = programFacts(facts)
    const isDenial = (answer: string) => answer === 'deny' || (answer === 'cancel' && cancelRefuses)
    const isAnswer = (answer: string) => answer !== 'cancel' || isDenial(answer)
    const isAbout = (block: BlockOf<'request'> | undefined, about: string) =>
      includes(block, about) || includes(callOf(block?.toolUseId), about)
    expect(
      'requests',
      blocks.map(({ kind, denied, answer }) => [kind, denied === true, answer !== undefined]),
      stated.map(({ kind, answer }) => [
        kind,
        isDenial(answer) || hasWords({ kind, answer }),
        isAnswer(answer),
      ]),
    )
    for (const [at, { about, answer }] of stated.entries()) {
      expect(`request ${at} is about ${about}`, isAbout(blocks[at], about), true)
      const said = blocks[at]?.kind === 'question' ? blocks[at].answer : blocks[at]?.comment
      if (!SIMPLE_ANSWERS.has(answer)) expect(`answer ${at}`, includes(said, answer), true)
    }
  }
  if (todos && !lacks.has('todos'))
    expect(
      'todos',
      state.todos?.map(({ text, status }) => ({ text, status })),
      todos,
    )
  // A command may change further files, which the script does not know.
  const changed = lacks.has('changes') ? [] : (changes ?? [])
  for (const path of new Set(changed.map((change) => change.path))) {
    const made = fileChanges(state).filter(
      (change) =>
        change.path.endsWith(`/${path}`) || (change.path === path && programFacts(facts).hasRelativePaths),
    )
    expect(
      `changes of ${path}`,
      made.map(({ kind, added, removed }) => [kind, added, removed]),
      changed
        .filter((change) => change.path === path)
        .map(({ kind, added, removed }) => [kind, added, removed]),
    )
  }
}

/** The answers of a person that refuse a call, or a question, without words. */
const WORDLESS: ReadonlySet<string> = new Set(['deny', 'cancel'])

/** Returns the answer to a request as the facts state it: the words of a refusal, if there are any. */
function answerOf({ answer, denied, comment }: BlockOf<'request'>): string {
  if (answer === undefined) return 'cancel'
  if (denied === true) return comment ?? 'deny'
  return typeof answer === 'string' ? answer : 'answered'
}

const SIMPLE_ANSWERS: ReadonlySet<string> = new Set(['allow', ...WORDLESS])

/** Whether the answer to a permission has words: the person refused. */
function hasWords({ kind, answer }: Pick<FactRequest, 'kind' | 'answer'>): boolean {
  return kind === 'permission' && !SIMPLE_ANSWERS.has(answer)
}

/** Returns the state of main's turn at the end. If its last line ends main's turn, only agents run. */
function endingOf({ ending, agents }: Facts): string {
  if (ending !== 'running') return ending
  return agents.find(({ parent }) => parent === null)?.status === 'success' ? 'finished' : 'interrupted'
}

/** Returns the messages of the model that a forked session has from another one. Its tokens are those of its own messages. */
function copiedMessages(
  { items, copied = 0 }: FactAgent,
  { blocks }: ConversationThread,
): ReadonlySet<unknown> {
  const count = items.slice(0, copied).filter(({ type }) => MODEL_ITEMS.has(type)).length
  const ids = blocks.flatMap((block) => ('messageId' in block ? [block.messageId] : []))
  return new Set(ids.slice(0, count))
}

/** Returns the number of requests without a whole reply: the program was killed, or the person stopped it. */
function cutRequests({ items, status }: FactAgent): number {
  const isUnanswered = status === 'running' && items.at(-1)?.type === 'cut'
  return isUnanswered ? 1 : 0
}

/** Returns the number of requests that got no whole reply: it was cut, or it failed, or the program repeated the request. */
function unansweredRequests({ items }: FactAgent, requests: number): number {
  const replies = items.filter(
    ({ type }, at) => MODEL_ITEMS.has(type) && type !== 'cut' && !isPartOfReply(items[at - 1]),
  )
  const cuts = items.filter(({ type }) => type === 'cut' || type === 'error').length
  return cuts > 0 ? cuts : Math.max(0, requests - replies.length)
}

function isPartOfReply(before: FactItem | undefined): boolean {
  return before !== undefined && (MODEL_ITEMS.has(before.type) || before.type === 'agent')
}

const MODEL_ITEMS: ReadonlySet<FactItem['type']> = new Set(['text', 'thinking', 'call', 'cut'])

/** The programs whose blocks show calls in another way, by the beginning of their name. */
const PROGRAMS: readonly (readonly [name: string, facts: ProgramFacts])[] = [
  ['claude-code', claudeFacts],
  ['codex', codexFacts],
  ['opencode', opencodeFacts],
  ['kilo', opencodeFacts],
  ['pi', piFacts],
  ['GitHub Copilot', copilotFacts],
  ['Gemini', geminiFacts],
  ['kimi', kimiFacts],
  ['qwen', qwenFacts],
  ['cline', clineFacts],
  ...Object.keys(STEP_SOURCES).map((name) => [name, stepsFacts] as const),
]

/** The result of an agent's call that runs in the background. The state shows the report, which comes later. */
const LAUNCHED = /^(?:Async agent launched|Spawned successfully)/

const TOKENS: ReadonlyMap<string, keyof ReturnType<typeof sumUsage>['final']> = new Map([
  ['requests', 'messages'],
  ['input', 'inputTokens'],
  ['output', 'outputTokens'],
  ['reasoning', 'reasoningTokens'],
  ['cacheRead', 'cacheReadTokens'],
  ['cacheWrite', 'cacheWriteTokens'],
])

type CallBlock = Extract<ConversationBlock, { readonly type: 'tool_use' | 'subagent' }>

function callsOf({ blocks }: ConversationThread): readonly CallBlock[] {
  return blocks.filter((block): block is CallBlock => block.type === 'tool_use' || block.type === 'subagent')
}

/** Returns the block of the call at that place: the one with its id, or else the one in its order. */
function blockOfCall(
  { items }: FactAgent,
  at: number,
  calls: readonly CallBlock[],
  isShown: (item: FactItem) => boolean,
): CallBlock | undefined {
  const item = items[at]
  const id = item?.type === 'call' ? item.id : undefined
  const found = calls.find(({ toolUseId }) => toolUseId === id)
  const isById = calls.some((call) =>
    items.some((each) => each.type === 'call' && each.id === call.toolUseId),
  )
  return found ?? (isById ? undefined : calls[items.slice(0, at).filter(isShown).length])
}

/** The result of a call that the person cancelled. Each form has other words for it. */
const ABORTED = /^(?:Wall time[^\n]*\n)?aborted by user/

/** Whether the item is the call of the agent that comes next: one block shows both. */
function isStartOfAgent(items: readonly FactItem[], at: number, { hasOwnBlock }: ProgramFacts): boolean {
  const item = items[at]
  if (item?.type !== 'call' || items[at + 1]?.type !== 'agent' || hasOwnBlock?.(item)) return false
  return !isResumption(items, at + 1)
}

/** Whether the agent of the item has started before. The call that resumes it is an ordinary call, and starts no agent. */
function isResumption(items: readonly FactItem[], at: number): boolean {
  const item = items[at]
  return item?.type === 'agent' && items.slice(0, at).some((each) => isAgentItem(each, item.key))
}

function isAgentItem(item: FactItem | undefined, key: string): boolean {
  return item?.type === 'agent' && item.key === key
}

/** Returns the words of the last result of the agent whose result is given. The state has the report of the last run. */
function lastReport(items: readonly FactItem[], result: FactResult): string {
  const agent = items[result.call + 1]
  const all = items.filter((item) => item.type === 'result')
  const key = agent?.type === 'agent' ? agent.key : undefined
  const last = all.findLast(({ call }) => key !== undefined && isAgentItem(items[call + 1], key))
  return (last ?? result).contains
}

/** Returns the id of the call at that place, if it asks for an agent and starts none. */
function refusedCall(items: readonly FactItem[], at: number): string | undefined {
  const item = items[at]
  if (item?.type !== 'call' || !AGENT_TOOLS.has(item.name) || items[at + 1]?.type === 'agent')
    return undefined
  const result = items.find((each) => each.type === 'result' && each.call === at)
  return result?.type === 'result' && result.isError ? item.id : undefined
}

const AGENT_TOOLS: ReadonlySet<string> = new Set([
  'Agent',
  'Task',
  'subagent',
  'task',
  'invoke_agent',
  'agent',
])

function isLackingItem(item: FactItem, isLacking: (word: string) => boolean): boolean {
  // The program requests a dropped reply again, and the state has no text of it.
  if (item.type === 'cut' && item.dropped) return true
  const { type } = item
  const word = { prompt: 'prompts', text: 'texts', cut: 'cuts', call: 'calls' }[type as string] ?? type
  return isLacking(word)
}

/** Whether the person typed a command that the program expanded. The state has the command. */
function isCommand(item: FactItem): boolean {
  return item.type === 'prompt' && item.typed !== undefined
}

/** Returns the words of an item with a text. Results stand apart, and notes are not compared. */
function wordsOf(item: FactItem): readonly string[] {
  if (item.type === 'agent') return ['agent']
  if (item.type === 'cut') return [`text ${item.text}`]
  return 'text' in item ? [`${item.type} ${item.text}`] : []
}

function wordsOfBlock(block: ConversationBlock, isLacking: (word: string) => boolean): readonly string[] {
  switch (block.type) {
    case 'user_message':
      return block.origin === undefined && !isLacking('prompts') ? [`prompt ${promptOf(block.content)}`] : []
    case 'assistant_text':
      return block.content === '' || isLacking('texts') ? [] : [`text ${block.content}`]
    case 'thinking':
      // The provider keeps the words of a redacted block back.
      return isLacking('thinking') || block.redacted ? [] : [`thinking ${block.content}`]
    case 'tool_use':
      return isLacking('calls') ? [] : [wordsOfCall(block.toolName, block.input, isLacking)]
    case 'subagent':
      return ['agent']
    default:
      return []
  }
}

/** A form may lack the names and the inputs of calls. */
function wordsOfCall(name: string, input: unknown, isLacking: (word: string) => boolean): string {
  return `call ${isLacking('names') ? '' : name} ${isLacking('inputs') ? '' : JSON.stringify(input)}`
}

function textsOfBlock(block: ConversationBlock): readonly string[] {
  if (block.type === 'user_message') return block.origin === undefined ? [promptOf(block.content)] : []
  return block.type === 'assistant_text' ? [block.content] : []
}

/**
 * Returns the text of a prompt. The command lines of OpenCode and Kilo put quotes around a prompt with spaces. A terminal that clears its line first sends
 * control characters. Claude Code puts a mark for each image in front of the words.
 */
function promptOf(content: string | readonly unknown[]): string {
  return textOf(content)
    .replace(/^"(.*)"$/s, '$1')
    .replace(/^\p{Cc}+/u, '')
    .replace(/^(?:\[Image #\d+\] )+/, '')
}

function textOf(content: string | readonly unknown[]): string {
  if (typeof content === 'string') return content
  return content.map((part) => Object(part).text ?? '').join('')
}

/** The word of the facts for an image. */
const IMAGE = '[image]'

function includes(value: unknown, words: string): boolean {
  if (words === IMAGE && Array.isArray(value)) return value.some((part) => Object(part).type === 'image')
  return (typeof value === 'string' ? value : JSON.stringify(value ?? '')).includes(words)
}
