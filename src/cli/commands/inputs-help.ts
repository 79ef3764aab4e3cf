import { allFormats } from '../../wires/all.ts'

/** Returns the help about the inputs of a command. */
export function inputsHelp(): string {
  const inputs = allFormats().map((format) => `  ${format.inputs}`)
  return `\na path is one of these, or a folder with the files of one session:\n${inputs.join('\n')}\n  -  (standard input)`
}
