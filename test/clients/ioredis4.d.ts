/** ioredis 4 brings no types; all that is asked of it. */
declare module 'ioredis4' {
  export default class Redis {
    constructor(options: { lazyConnect: boolean })
  }
}
