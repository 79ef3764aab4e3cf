import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const entries = JSON.stringify(exports).match(/[\w-]+(?=\.d\.ts)/g) ?? []
const REPORT = join(import.meta.dirname, 'api', 'agentfold.api.md')
const ALL = join(root, 'dist', 'all-entries.d.ts')
const IS_UPDATE = process.env.UPDATE_API === 'true'

/**
 * All that the package gives its users: `api/agentfold.api.md` has each entry point as a namespace, and each declaration once. When it has to
 * change, run `npm run api`, and say in the changelog what changes for whom.
 */
it('has the surface that the report tells', () => {
  writeFileSync(ALL, `${entries.map(importOf).join('\n')}\nexport { ${entries.map(nameOf).join(', ')} }\n`)
  const { apiReportChanged } = Extractor.invoke(reportOf(ALL), {
    localBuild: IS_UPDATE,
    messageCallback: (message) => {
      message.handled = true
    },
  })
  expect(apiReportChanged && !IS_UPDATE).toBe(false)
})

it('documents every export', () => {
  const report = readFileSync(REPORT, 'utf8')
  const exported = new Set(
    [...report.matchAll(/^declare namespace \w+ \{\n {4}export \{([^}]*)\}/gm)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.trim().replace(/ as .*/, '')),
    ),
  )
  expect(exported.size).toBeGreaterThan(200)
  const undocumented = report.matchAll(/\(undocumented\)\n(?:declare |abstract )*\w+ (\w+)/g)
  expect([...undocumented].flatMap(([, name = '']) => (exported.has(name) ? name : []))).toEqual([])
})

function importOf(entry: string): string {
  return `import * as ${nameOf(entry)} from './${entry}.js'`
}

function nameOf(entry: string): string {
  return entry.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function reportOf(mainEntryPointFilePath: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    packageJsonFullPath: join(root, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'es2022',
            module: 'esnext',
            moduleResolution: 'bundler',
            types: [],
            skipLibCheck: true,
          },
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: 'agentfold.api.md',
        reportFolder: join(import.meta.dirname, 'api'),
        reportTempFolder: join(root, 'node_modules/.api'),
        // Bases that nobody exports are part of each block and event.
        includeForgottenExports: true,
      },
      newlineKind: 'lf',
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.None } } },
    },
  })
}
