import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { FileReader } from '../../../reading/input/transcript-files.ts'

const AGENT_OF_RUN = /[\\/]workflows[\\/]([^\\/]+)[\\/]agent-[^\\/]+\.jsonl$/
const FILE_OF_RUN = /[\\/]workflows[\\/](?:([^\\/]+)\.json|([^\\/]+)[\\/]journal\.jsonl)$/

/** Whether the file states facts about the agents of a workflow's run: the file of the run, or the journal beside the agents. */
export function isFileOfRun(path: string): boolean {
  return FILE_OF_RUN.test(path)
}

/**
 * The runs of workflows of a session. `subagents/workflows/<run>/` has the agents of a run, and only the folder's
 * name says so. The agents' own meta files name label and phase from 2.1.332 on. Before that, `workflows/<run>.json`
 * does, which the program writes at the end of the run.
 */
export class WorkflowRuns {
  readonly #paths: readonly string[]
  readonly #reader: FileReader
  readonly #agents = new Map<string, ReadonlyMap<string, JsonObject>>()

  constructor(paths: readonly string[], reader: FileReader) {
    this.#paths = paths
    this.#reader = reader
  }

  /** Returns the facts about the agent of a run; undefined for another agent. */
  factsOf(agentId: string, path: string): JsonObject | undefined {
    const runId = AGENT_OF_RUN.exec(path)?.[1]
    return runId === undefined ? undefined : { ...this.#agentsOf(runId).get(agentId), runId }
  }

  #agentsOf(runId: string): ReadonlyMap<string, JsonObject> {
    const known = this.#agents.get(runId)
    if (known) return known
    const files = this.#paths.filter((path) => {
      const [, ofFile, ofJournal] = FILE_OF_RUN.exec(path) ?? []
      return (ofFile ?? ofJournal) === runId
    })
    const agents = new Map(files.flatMap((path) => this.#agentsIn(path)))
    this.#agents.set(runId, agents)
    return agents
  }

  #agentsIn(path: string): readonly (readonly [string, JsonObject])[] {
    const entries = path.endsWith('.jsonl')
      ? [...this.#reader.values(path)]
      : asArray(asObject(this.#reader.value(path)).workflowProgress)
    return entries.flatMap((entry) => {
      const { agentId, label, phase, phaseTitle } = asObject(entry)
      const description = asString(label)
      if (typeof agentId !== 'string' || description === undefined) return []
      return [[agentId, omitUndefined({ description, workflowPhase: asString(phaseTitle ?? phase) })]]
    })
  }
}
