import { asArray, asObject, asString, isString, type JsonObject } from '../../core/json/values.ts'
import { imageAt, type UserContentPart } from '../../core/state/content.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import { changeOfHunks, countLines, hunksBetween, hunksOfNewFile, linesOf } from '../diff.ts'
import type { ProgramReader } from '../reader.ts'
import { kimi } from './program.ts'

/** Returns the text of an output, which is a text or a list of parts. */
export function outputText(output: unknown): string {
  if (isString(output)) return output
  return asArray(output)
    .map((part) => asString(asObject(part).text) ?? '')
    .join('')
}

/** Reads the parts of a message or an output: texts and images. */
export function contentParts(content: unknown): readonly UserContentPart[] {
  if (isString(content)) return [{ type: 'text', text: content }]
  return asArray(content).flatMap((part) => contentPart(asObject(part)) ?? [])
}

function contentPart({ type, text, imageUrl }: JsonObject): UserContentPart | undefined {
  if (type === 'text' && isString(text)) return { type: 'text', text }
  const url = asString(asObject(imageUrl).url)
  return type === 'image_url' && url !== undefined ? imageAt(url) : undefined
}

/** The program puts the state of the repository before the first prompt of some agents. */
export function splitContext(
  parts: readonly UserContentPart[],
): readonly [context: string | undefined, parts: readonly UserContentPart[]] {
  const [first, ...others] = parts
  const [, before, text] =
    (first?.type === 'text' && /^(<git-context>[\s\S]*?<\/git-context>)\n+([\s\S]+)$/.exec(first.text)) || []
  return before === undefined || text === undefined
    ? [undefined, parts]
    : [before, [{ type: 'text', text }, ...others]]
}

/** Returns the exit code at the end of a command's output; undefined if the output has none. */
export function exitCodeIn(output: string): number | undefined {
  const [, code] = /Command failed with exit code: (\d+)\.\s*$/.exec(output) ?? []
  return code === undefined ? undefined : Number(code)
}

/** The result of a call that starts or resumes an agent. */
interface AgentReport {
  readonly agentId?: string | undefined
  readonly agentType?: string | undefined
  /** The agent works in the background. */
  readonly isLaunch: boolean
  readonly isError: boolean
  readonly report?: string | undefined
}

/** Reads the result of a call of `Agent`: a head of fields, and then the report or the error. */
export function readAgentReport(output: string): AgentReport {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(output)?.[1]
  const agentId = field('agent_id')
  const status = field('status')
  // A report may have several lines. `$` would be the end of the first one.
  const [, summary] = /^\[summary\]\n([\s\S]*?)(?:\n+resume_hint: [^\n]*\s*)?(?![\s\S])/m.exec(output) ?? []
  return {
    agentId,
    agentType: field('actual_subagent_type'),
    isLaunch: status === 'running',
    isError: agentId === undefined || (status !== 'completed' && status !== 'running'),
    report: summary ?? field('subagent error')?.replace(STOPPED, '') ?? output,
  }
}

/** The words before the reason of a failure. */
const STOPPED = /^The subagent was stopped before it finished\. Reason: /

/** An agent in the result of a call that starts several. */
interface SwarmMember {
  readonly agentId: string
  readonly item?: string | undefined
  readonly isError: boolean
  readonly report: string
}

/** Reads the agents in the result of a call of `AgentSwarm`. */
export function readSwarm(output: string): readonly SwarmMember[] {
  const members = output.matchAll(/^<subagent ([^>]*)>([\s\S]*?)<\/subagent>$/gm)
  return Array.from(members, ([, attributes = '', report = '']) => {
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1]
    return {
      agentId: attribute('agent_id') ?? '',
      item: attribute('item'),
      isError: attribute('outcome') !== 'completed',
      report,
    }
  })
}

/** Returns the prompt that a call of `AgentSwarm` gives to the agent of an item. */
export function swarmPrompt({ prompt_template }: JsonObject, item: unknown): string | undefined {
  const template = asString(prompt_template)
  return template !== undefined && isString(item) ? template.replaceAll('{{item}}', () => item) : undefined
}

/** A successful call that may have changed a file. */
interface FileCall {
  readonly toolName: 'Edit' | 'Write'
  readonly input: JsonObject
  readonly path: string
  readonly output: string
  /** The text of the file before the call, if the session shows it. */
  readonly before?: string | undefined
  /** The program has written no such file before. */
  readonly isNew: boolean
}

/** Returns the change to a file that a call has made; undefined if its output reports none. */
export function fileChange({
  toolName,
  input,
  path,
  output,
  before,
  isNew,
}: FileCall): FileChange | undefined {
  // No line of `stream-json` says that a call has failed.
  if (!/^(?:Replaced \d+ |\w+ \d+ bytes)/.test(output)) return undefined
  if (toolName === 'Edit') return { path, kind: 'edit', ...editedLines(input, output) }
  const content = asString(input.content) ?? ''
  if (input.mode !== 'append' && before !== undefined)
    return changeOfHunks({ path, kind: 'edit' }, hunksBetween(before, content))
  if (isNew) return changeOfHunks({ path, kind: 'add' }, hunksOfNewFile(content))
  // Nothing says how many lines of an overwritten file are gone.
  return { path, kind: 'edit', added: linesOf(content).length, removed: 0 }
}

/** The output says how often the text was replaced. Nothing says at which lines. */
function editedLines(
  { old_string, new_string }: JsonObject,
  output: string,
): Pick<FileChange, 'added' | 'removed'> {
  const times = Number(/^Replaced (\d+) /.exec(output)?.[1] ?? 1)
  const { added, removed } = countLines(hunksBetween(asString(old_string) ?? '', asString(new_string) ?? ''))
  return { added: added * times, removed: removed * times }
}

/** Returns the text of a whole file that a call has read; undefined if the call has read a part. */
export function textRead(input: JsonObject, output: string): string | undefined {
  if (Object.keys(input).some((name) => name !== 'path')) return undefined
  const lines = output.split('\n').map((line) => /^\d+\t([\s\S]*)$/.exec(line)?.[1])
  return lines.every(isString) ? lines.join('\n') : undefined
}

/** Reads Kimi Code for a protocol. */
export const kimiReader: ProgramReader = {
  announcesCalls: true,
  resultsNameAgents: true,
  // A title begins as the name of the tool, and becomes a sentence.
  firstFields: ['title'],
  toolName: ({ toolName, title }) => toolName ?? title,
  // The number of the turn stands before the model's id, and changes with each replay.
  callId: (sent) => sent.replace(/^\d+:/, ''),
  permission(toolCall) {
    const toolName = asString(toolCall.title) ?? ''
    const words = textIn(toolCall)
    const isQuestion = kimi.tools.question?.includes(toolName) === true
    return { toolName, words: words.replace(/^Requesting approval to /, ''), isQuestion }
  },
  result: (_, shown, raw) => ({
    exitCode: exitCodeIn(asString(raw) ?? asString(shown) ?? ''),
    output: Array.isArray(raw) ? contentParts(raw) : undefined,
  }),
  agentResult: ({ output }) => readAgentReport(outputText(output)),
  // Nothing says whether a file is new. One that is written counts as such, as in a session whose files do not show
  // it before.
  fileChanges({ call: { toolName, input }, output }) {
    const fields = asObject(input)
    const path = asString(fields.path)
    if (path === undefined || (toolName !== 'Edit' && toolName !== 'Write')) return undefined
    const change = fileChange({ toolName, input: fields, path, output: outputText(output), isNew: true })
    return change && [change]
  },
  messageOrigin: (text) => (text.startsWith('<system-reminder>') ? 'reminder' : undefined),
  warning: (text) => (COMPACTION.test(text) ? text : undefined),
}

/** The program's own words about a compaction come as those of the model. */
const COMPACTION =
  /^(?:Context compaction started|Compacting conversation context|Compaction (?:completed|failed|cancelled))/

function textIn({ content }: JsonObject): string {
  return asArray(content)
    .map((part) => asString(asObject(asObject(part).content).text) ?? '')
    .join('\n')
}
