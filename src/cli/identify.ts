import { readFile } from 'node:fs/promises'
import { computeAgentTypeHash, computeToolSetHash, hashSystemPrompt } from '../identity/agent-type.ts'
import { type IdentifiedConversation, identifySession } from '../identity/session.ts'
import { asObject, asString } from '../json/values.ts'
import { MAIN, type SessionConversationState } from '../state/session.ts'
import type { IdentifyCommand } from './command.ts'
import { InputError, wrapReadError } from './input.ts'
import type { Replay } from './replay-run.ts'
import { issueLines, truncate } from './text.ts'

/** What the command finds: the kind of agent that it took all of them for, and the conversations. */
interface FoundIdentities {
  readonly agentTypeHash: string
  readonly conversations: readonly IdentifiedConversation[]
}

/** Identifies every conversation of a session. Without a system prompt or tools these count as empty. */
export async function identify(
  state: SessionConversationState,
  { systemPrompt, tools }: Pick<IdentifyCommand, 'systemPrompt' | 'tools'>,
): Promise<FoundIdentities> {
  const promptHash = hashSystemPrompt(systemPrompt === undefined ? '' : await contentOf(systemPrompt))
  const toolSetHash = tools === undefined ? computeToolSetHash([]) : toolHash(tools, await contentOf(tools))
  const agentTypeHash = computeAgentTypeHash(promptHash, toolSetHash)
  return { agentTypeHash, conversations: identifySession(state, { agentTypeHash }) }
}

async function contentOf(path: string): Promise<string> {
  const bytes = await wrapReadError(readFile(path), path)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    // What is no UTF-8 would share its hash with other texts.
    throw new InputError(`${path}: no UTF-8`, { cause: error })
  }
}

/** A JSON list of tools, as objects with a name or as names. */
function toolHash(path: string, json: string): string {
  try {
    const value: unknown = JSON.parse(json)
    if (!Array.isArray(value)) throw new RangeError('a JSON list of tools is needed')
    return computeToolSetHash(
      value.map((tool) => ({ name: asString(tool) ?? asString(asObject(tool).name) ?? '' })),
    )
  } catch (error) {
    throw new InputError(`${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

/**
 * Renders the identities, for people to read: a line a conversation, its parent's hash behind it; at the end what could not be
 * read.
 */
export function renderIdentities({
  agentTypeHash,
  conversations,
  issues,
}: FoundIdentities & Pick<Replay, 'issues'>): string {
  const lines = conversations.map(({ conversationId, name, identity, parentConversationHash }) => {
    const who = [identity?.conversationHash ?? UNKNOWN, name, conversationId]
    const parent = conversationId === MAIN ? undefined : `of ${parentConversationHash ?? UNKNOWN}`
    return [...who, parent].flatMap((part) => (part ? truncate(part) : [])).join(' · ')
  })
  return `${[`agent type ${agentTypeHash}`, ...lines, ...issueLines(issues)].join('\n')}\n`
}

const UNKNOWN = 'unknown'
