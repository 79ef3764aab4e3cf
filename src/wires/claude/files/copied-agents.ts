import { asArray, asObject, asString, isObject, type JsonObject } from '../../../core/json/values.ts'
import type { FileReader, TranscriptFiles } from '../../../reading/input/transcript-files.ts'

/** The files of an agent. */
export type AgentFile = TranscriptFiles & { readonly id: string }

/**
 * Returns the files of agents that stay in the folder of the session that a fork copies. The fork's lines name the agent, its call or its run,
 * and those of a copied agent name its children. The old session may have further agents.
 */
export function copiedAgents(
  main: string,
  candidates: readonly AgentFile[],
  reader: FileReader,
): readonly AgentFile[] {
  const others = new Set(candidates.filter(({ path }) => /[\\/]subagents[\\/]/.test(path)))
  const copied: AgentFile[] = []
  const paths = others.size === 0 ? [] : [main]
  for (const path of paths) {
    const names = namesIn(path, reader)
    for (const file of others) {
      if (!namesOf(file, reader).some((name) => names.has(name))) continue
      others.delete(file)
      copied.push(file)
      paths.push(file.path)
    }
  }
  return copied
}

/** Returns the ids by which a line may name the agent. */
function namesOf({ id, factsPath, facts = {} }: AgentFile, reader: FileReader): readonly string[] {
  const { toolUseId } = asObject(factsPath === undefined ? undefined : reader.value(factsPath))
  return [id, asString(toolUseId), asString(facts.runId)].flatMap((name) => name ?? [])
}

/** Returns the ids of the calls in a file, and those of agents and runs in their results. */
function namesIn(path: string, reader: FileReader): ReadonlySet<string> {
  const names = new Set<string>()
  for (const value of reader.values(path))
    if (isObject(value)) for (const name of namedIn(value)) names.add(name)
  return names
}

function namedIn({ message, toolUseResult }: JsonObject): readonly string[] {
  const { agentId, runId } = asObject(toolUseResult)
  const calls = asArray(asObject(message).content).map((part) => asObject(part).id)
  return [agentId, runId, ...calls].flatMap((name) => asString(name) ?? [])
}
