import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RequestTurn, StoredTurn } from '../../../src/recorded-turns/turn.ts'

/** Hashes that were computed outside of the library; the folder's README says how. */
const folder: string = fileURLToPath(new URL('../../../fixtures/identity/', import.meta.url))
const textOf = (file: string): string => readFileSync(`${folder}${file}`, 'utf8')

interface Named {
  readonly name: string
  /** 16 hex digits in `hashes.json`, 64 elsewhere. */
  readonly hash: string
}

/** A text and its hash. */
interface TextVector extends Named {
  readonly text: string
}

interface HashVectors {
  readonly hashUserMessage: readonly TextVector[]
  readonly hashSystemPrompt: readonly TextVector[]
  readonly hashFirstAssistantResponse: readonly TextVector[]
  readonly computeToolSetHash: readonly (Named & { readonly tools: readonly string[] })[]
  readonly computeAgentTypeHash: readonly (Named & {
    readonly systemPromptHash: string
    readonly toolSetHash: string
  })[]
  readonly computeConversationHash: readonly (Named & {
    readonly agentTypeHash: string
    readonly firstUserMessageHash: string
    readonly firstAssistantResponseHash: string
  })[]
}

/** A JSON text, the canonical text of its value, and the hash of the canonical text. */
export interface CanonicalVector extends Named {
  readonly json: string
  readonly text: string
}

/** Turns in a request and in storage, their canonical text, and its hash. */
export interface TurnsVector extends Named {
  readonly request: readonly RequestTurn[]
  /** In base64, by upload key. */
  readonly audio: Readonly<Record<string, string>>
  readonly stored: readonly StoredTurn[]
  readonly text: string
}

export const hashes: HashVectors = JSON.parse(textOf('hashes.json'))
export const canonicals: readonly CanonicalVector[] = JSON.parse(textOf('canonical.json'))
export const turns: readonly TurnsVector[] = JSON.parse(textOf('turns.json'))

/** The uploaded audio of a vector. */
export function audioOf({ audio }: TurnsVector): ReadonlyMap<string, Uint8Array> {
  return new Map(Object.entries(audio).map(([key, base64]) => [key, Buffer.from(base64, 'base64')]))
}
