import type { CertificateFiles } from './certificate.js'

export type ProductName = 'PostgreSQL' | 'MariaDB' | 'MySQL'

/** A program, what must precede its arguments, and the environment it needs beside ours. */
export interface Program {
  readonly command: readonly [program: string, ...before: string[]]
  readonly environment?: Readonly<Record<string, string>>
}

export interface Installed {
  /** For the one line that says so. */
  readonly from: string
  /** The folder of its data files, for programs that do not find it themselves. */
  readonly share?: string | undefined
  program(name: string): Program
  /** As whom they run, where this process is root and they refuse to be. */
  readonly identity?: { readonly uid: number; readonly gid: number } | undefined
}

export interface Place {
  readonly installed: Installed
  /** A folder that nothing else uses: data, socket, temporary files, output. */
  readonly dir: string
  readonly port: number
}

/** A program to be run with these arguments, and what it is to read, if anything. */
export interface Run {
  readonly program: Program
  readonly args: readonly string[]
  /** A file that is its standard input. */
  readonly input?: string
}

/** What it takes to have a server of one product. */
export interface SqlProduct {
  readonly name: ProductName
  /** Where the programs of that release are, or of whichever is at hand; or why they cannot be had. */
  find(release?: string): Promise<Installed | string>
  /** Makes the data folder of a new server: what to run, one after the other. */
  setup(place: Place): Promise<readonly Run[]>
  serve(place: Place, settings: Readonly<Record<string, string>>): Run
  /** The settings by which it refuses whoever comes by TCP without TLS. */
  secure(place: Place, certificate: CertificateFiles): Promise<Readonly<Record<string, string>>>
  /** Makes sure that it answers, and that its user and database are there. */
  prepare(place: Place): Promise<void>
}

/** Who may do everything on every server, and a database that is there. */
export const account = { user: 'holdfast', password: 'a password of tests', database: 'holdfast' } as const
