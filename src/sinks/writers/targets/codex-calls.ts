import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, isString, type JsonObject } from '../../../core/json/values.ts'
import { isFailureText, isRefusalText } from '../../../programs/codex/command.ts'
import { patchOfChanges, patchOfEdit, patchOfNewFile } from '../../../programs/codex/file-change.ts'
import { FILE_CHANGE } from '../../../programs/codex/tool-names.ts'
import type { CallItem, ResultPart } from '../../plan/plan.ts'
import { resultText } from '../../plan/result-parts.ts'
import { callId, jsonText } from '../target.ts'

/** The name of the tool for commands. */
const COMMAND_TOOL = 'exec_command'

/** The name of the tool for edits. Other programs have one of that name whose input is an object with the patch. */
const PATCH_TOOL = 'apply_patch'

/** Returns a call as the model's history has it. A patch is a text and no object. */
export function callLine(call: CallItem): JsonObject {
  const [call_id, patch] = [callId(call), patchOf(call)]
  if (patch !== undefined)
    return { type: 'custom_tool_call', status: 'completed', call_id, name: PATCH_TOOL, input: patch }
  // The program would read any other input of that tool as a patch.
  const name = call.toolName === PATCH_TOOL ? `${PATCH_TOOL}_call` : call.toolName
  return { type: 'function_call', name, arguments: jsonText(argumentsOf(call)), call_id }
}

/** Returns a result as the model's history has it. */
export function outputLine(call: CallItem, output = outputOf(call)): JsonObject {
  const type = patchOf(call) === undefined ? 'function_call_output' : 'custom_tool_call_output'
  return { type, call_id: callId(call), output }
}

/** Whether the text of a result itself says that the call has failed. Nothing else in the program's files does. */
export function showsFailure({ toolName, result }: CallItem): boolean {
  if (result.parts.some(({ type }) => type === 'image')) return false
  const text = resultText(result)
  if (isRefusalText(text)) return true
  return toolName === COMMAND_TOOL ? (result.exitCode ?? 0) !== 0 : isFailureText(text)
}

/** A session has the agents of a call in one list. The model names one as `target`, or several as `targets`. */
function argumentsOf({ input }: CallItem): JsonObject {
  const { agentIds, prompt, ...others } = asObject(input)
  if (!Array.isArray(agentIds)) return asObject(input)
  return omitUndefined({ ...others, targets: agentIds, message: prompt })
}

/** Returns the patch that a call of an edit is in this program; undefined for any other call. */
function patchOf({ toolName, input, shared, result }: CallItem): string | undefined {
  if (toolName === FILE_CHANGE) return patchOfChanges(result.changes ?? [])
  if (toolName === PATCH_TOOL) return Object.values(asObject(input)).filter(isString).find(isPatch)
  const { path, content, before, after } = shared?.values ?? {}
  if (!isString(path)) return undefined
  if (shared?.meaning === 'write') return patchOfNewFile(path, asString(content) ?? '')
  if (shared?.meaning === 'edit') return patchOfEdit(path, asString(before) ?? '', asString(after) ?? '')
  return undefined
}

function isPatch(text: string): boolean {
  return text.startsWith('*** Begin Patch\n')
}

function outputOf({ toolName, result }: CallItem): unknown {
  const { parts, exitCode } = result
  if (parts.some(({ type }) => type === 'image')) return parts.map(outputPart)
  const text = resultText(result)
  if (toolName !== COMMAND_TOOL) return text
  // The program takes off what is before the output.
  const head = exitCode === undefined ? '' : `Process exited with code ${exitCode}\n`
  return `${head}Output:\n${text}`
}

function outputPart(part: ResultPart): JsonObject {
  return part.type === 'text'
    ? { type: 'input_text', text: part.text }
    : { type: 'input_image', image_url: `data:${part.mediaType};base64,${part.data}` }
}
