import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { computeAgentTypeHash, computeToolSetHash, hashSystemPrompt } from '../../core/identity/hashes.ts'
import { asObject, asString, parseJson } from '../../core/json/values.ts'
import { findConversation } from '../../core/selectors/find.ts'
import { isPrompt } from '../../core/state/block.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { type IdentifiedConversation, identifySession } from '../../gateway/identify-session.ts'
import { wrapReadError } from '../../node/files/read-error.ts'
import type { SessionReading } from '../../node/read/read-input.ts'
import type { Architecture } from '../../programs/program.ts'
import { readPath } from '../read-path.ts'
import { findReference } from '../session-reference.ts'
import { InputError, type Terminal } from '../terminal/terminal.ts'
import { issueLines, toJson, truncate } from '../terminal/text.ts'
import { type CommandMaker, formatOption, SESSION_ARGUMENT } from './command.ts'
import { inputsHelp } from './inputs-help.ts'

interface IdentifyOptions extends AgentTypeFiles {
  readonly json?: true
  readonly format?: Architecture
}

/** `agentfold identify`: the exit code is 1 if a file cannot be read, is empty or is not a transcript. */
export const identifyCommand: CommandMaker = ({ terminal, execute }) =>
  new Command('identify')
    .summary('print the hash of each conversation')
    .description(
      'Prints the hash of each conversation of a session, and the hash of the one that started it.',
    )
    .argument('<session>', SESSION_ARGUMENT)
    .option('--system-prompt <file>', "the agents' system prompt; the default is an empty one")
    .option('--tools <file>', 'a JSON list of their tools; the default is an empty list')
    .option('--json', 'print the result as JSON')
    .addOption(formatOption())
    .addHelpText('after', inputsHelp())
    .action((name: string, options: IdentifyOptions) =>
      execute(() => printIdentities(name, options, terminal)),
    )

async function printIdentities(
  name: string,
  { json, format, ...files }: IdentifyOptions,
  terminal: Terminal,
): Promise<number> {
  const { path } = await findReference(name, terminal)
  const { state, issues } = await readPath({ path, format }, terminal)
  const identities = { ...(await identify(state, files)), issues }
  terminal.write(json ? `${toJson(identities, 2)}\n` : renderIdentities({ ...identities, state }))
  return 0
}

/** The files that decide the agent type. */
interface AgentTypeFiles {
  /** The path of a file with the prompt. */
  readonly systemPrompt?: string
  /** The path of a file with a JSON list. */
  readonly tools?: string
}

/** The identities of a session's conversations. All of them have the same agent type. */
interface SessionIdentities {
  readonly agentTypeHash: string
  readonly conversations: readonly IdentifiedConversation[]
}

/** Identifies every conversation of a session. A missing system prompt or tool list counts as empty. */
async function identify(
  state: SessionConversationState,
  { systemPrompt, tools }: AgentTypeFiles,
): Promise<SessionIdentities> {
  const promptHash = hashSystemPrompt(systemPrompt === undefined ? '' : await readUtf8(systemPrompt))
  const toolSetHash = tools === undefined ? computeToolSetHash([]) : hashTools(tools, await readUtf8(tools))
  const agentTypeHash = computeAgentTypeHash(promptHash, toolSetHash)
  return { agentTypeHash, conversations: identifySession(state, { agentTypeHash }) }
}

async function readUtf8(path: string): Promise<string> {
  const bytes = await wrapReadError(readFile(path), path)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    // Decoding replaces invalid bytes, so different files would share a hash.
    throw new InputError(`${path}: not UTF-8`, { cause: error })
  }
}

/** Returns the hash of a JSON list of tools: names, or objects with a name. */
function hashTools(path: string, json: string): string {
  const value = parseJson(json)
  if (!Array.isArray(value)) throw new InputError(`${path}: not a JSON list of tools`)
  try {
    return computeToolSetHash(
      value.map((tool) => ({ name: asString(tool) ?? asString(asObject(tool).name) ?? '' })),
    )
  } catch (error) {
    throw new InputError(`${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

/** Renders the identities as text: one line per conversation, with the hash of its parent conversation, and then the issues. */
function renderIdentities({
  agentTypeHash,
  conversations,
  issues,
  state,
}: SessionIdentities & Pick<SessionReading, 'issues' | 'state'>): string {
  const lines = conversations.map(({ conversationId, name, identity, parentConversationHash }) => {
    const own = [identity?.conversationHash ?? UNKNOWN, name, conversationId]
    const parent = conversationId === MAIN ? undefined : `of ${parentConversationHash ?? UNKNOWN}`
    const reason = identity ? undefined : missingPart(state, conversationId)
    return [...own, parent, reason].flatMap((part) => (part ? truncate(part) : [])).join(' · ')
  })
  return `${[`agent type ${agentTypeHash}`, ...lines, ...issueLines(issues)].join('\n')}\n`
}

const UNKNOWN = 'unknown'

/** Returns the reason why a conversation has no hash: a stream, for example, often lacks the first prompt. */
function missingPart(state: SessionConversationState, conversationId: string): string {
  const { blocks = [] } = findConversation(state, conversationId) ?? {}
  return blocks.some(isPrompt)
    ? 'the input lacks the whole first response'
    : 'the input lacks the first prompt: pass the stored session'
}
