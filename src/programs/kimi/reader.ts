import { asArray, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import type { ProgramReader } from '../reader.ts'
import { kimi } from './program.ts'
import { contentParts, exitCodeIn, fileChange, outputText, readAgentReport } from './results.ts'

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
