package zoo;

import java.util.Arrays;

/** The client of the URL or command after `client`, else the server. */
public final class Zoo {
  public static void main(String[] args) throws Exception {
    if (args[0].equals("client")) {
      new ZooClient().visit(Arrays.asList(args).subList(1, args.length));
      System.exit(0);
    }
    new ZooServer().serve();
  }
}
