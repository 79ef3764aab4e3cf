import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { entry } from '../../tsup.config.ts'
import { type Example, examples, ROOT } from './pages.ts'

// A reader copies an example into a strict project.
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: ['node'],
  jsx: ts.JsxEmit.ReactJSX,
  strict: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
  paths: Object.fromEntries(
    Object.entries(entry).map(([name, file]) => [moduleOf(name), [join(ROOT, file)]]),
  ),
}

it('gives examples that compile in a strict project', () => {
  const files = new Map(examples.map((example) => [fileOf(example), example.code]))
  const host = ts.createCompilerHost(OPTIONS)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (path) => files.has(path) || fileExists(path)
  host.readFile = (path) => files.get(path) ?? readFile(path)
  host.getSourceFile = (path, version, ...rest) => {
    const code = files.get(path)
    return code === undefined
      ? getSourceFile(path, version, ...rest)
      : ts.createSourceFile(path, code, version)
  }
  const program = ts.createProgram([...files.keys()], OPTIONS, host)
  const faults = [...files.keys()]
    .map((path) => program.getSourceFile(path))
    .filter((file) => file !== undefined)
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
  expect(faults.map(({ file, messageText }) => `${file?.fileName}: ${textOf(messageText)}`)).toEqual([])
})

/** The example lies where its imports find the packages of this project. */
function fileOf({ page, at, language }: Example): string {
  return join(ROOT, 'test/docs', `${page.replace(/\W/g, '-')}-${at}.${language}`)
}

function textOf(message: string | ts.DiagnosticMessageChain): string {
  return ts.flattenDiagnosticMessageText(message, ' ')
}

function moduleOf(name: string): string {
  if (name === 'index') return 'agentfold'
  return name === 'arbitraries' ? 'agentfold/testing/arbitraries' : `agentfold/${name}`
}
