import { statfsSync } from 'node:fs'
import process from 'node:process'

/** The numbers by which Linux tells its kinds of file systems: those whose files several machines may change. */
const ON_LINUX: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
  [0x65735546, 'FUSE'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x786f4256, 'VirtualBox shared folder'],
  [0xbacbacbc, 'VMware shared folder'],
])

/**
 * The network file system of a folder, where the system tells: on Linux, and on Windows by the path. FUSE counts: it may be sshfs, or a folder
 * of a virtual machine's host.
 */
export function networkFileSystemOf(folder: string, typeOf = fileSystemType): string | undefined {
  if (process.platform === 'win32') return folder.startsWith('\\\\') ? 'a network share' : undefined
  return process.platform === 'linux' ? ON_LINUX.get(typeOf(folder)) : undefined
}

function fileSystemType(folder: string): number {
  // 32 bits; Node may give them as a signed number.
  return statfsSync(folder).type >>> 0
}
