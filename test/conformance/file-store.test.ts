/** The example store passes the suite as it is published. */
import '../../examples/file-store/file-store.test.js'
