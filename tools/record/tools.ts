import type { ProgramCall, ProgramTools } from './program.ts'
import type { ScriptedCall } from './script.ts'

type CallOf<Does extends ScriptedCall['does']> = Extract<ScriptedCall, { readonly does: Does }>

/** A program's tool for each thing that the model does. `path` is absolute. */
export interface ToolTable {
  readonly command: (command: string) => ProgramCall
  readonly read: (path: string) => ProgramCall
  readonly write: (path: string, content: string) => ProgramCall
  readonly edit: (path: string, from: string, to: string) => ProgramCall
  /** Reads a picture, if that is another tool. */
  readonly look?: (path: string) => ProgramCall
  /** Versions of a program may differ in this tool: the request names the tools that it offers. */
  readonly agent: (call: CallOf<'agent'>, offered: readonly string[]) => ProgramCall
  /** Calls a tool of a server that requests do not offer by its name. */
  readonly hidden?: (tool: string, input: object) => ProgramCall
}

/** Returns the calls of a program whose tools take a path. */
export function toolCalls(table: ToolTable): ProgramTools['call'] {
  return (call, { work, tools }) => {
    switch (call.does) {
      case 'command':
        return table.command(call.command)
      case 'read':
        return table.read(`${work}/${call.path}`)
      case 'write':
        return table.write(`${work}/${call.path}`, call.content)
      case 'look':
        return (table.look ?? table.read)(`${work}/${call.path}`)
      case 'tool':
        return demoCall(call, tools, table.hidden)
      case 'edit':
        return table.edit(`${work}/${call.path}`, call.from, call.to)
      case 'mistake':
        return mistaken(call, table.command(''))
      case 'agent':
        return table.agent(call, tools)
    }
  }
}

/** Returns a call of a tool of the demo server. Programs put their own words before its name, and shorten it. */
function demoCall(
  { tool }: CallOf<'tool'>,
  tools: readonly string[],
  hidden: ToolTable['hidden'],
): ProgramCall {
  const beginning = tool.slice(0, 20)
  const input = { word: tool }
  const name = tools.find((each) => each.includes(beginning))
  if (name === undefined && hidden) return hidden(tool, input)
  return { name: name ?? UNKNOWN_TOOL, input }
}

/** The name of a tool that no program has. */
export const UNKNOWN_TOOL = 'no_such_tool'

/** Returns a call with a mistake of the model. The command tool is one that every program has. */
export function mistaken({ kind }: CallOf<'mistake'>, command: ProgramCall): ProgramCall {
  return kind === 'unknown-tool' ? { name: UNKNOWN_TOOL, input: {} } : { ...command, input: {} }
}

/** Returns the patch that adds a file. */
export function addingPatch(path: string, content: string): string {
  const lines = content.trimEnd().split('\n')
  return patch(`*** Add File: ${path}`, ...lines.map((line) => `+${line}`))
}

/** Returns the patch that changes the words in the line of the demo that has them. */
export function changingPatch(path: string, from: string, to: string): string {
  const line = (words: string) => `export const add = (a, b) => ${words}`
  return patch(`*** Update File: ${path}`, '@@', `-${line(from)}`, `+${line(to)}`)
}

function patch(...lines: readonly string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n')
}
