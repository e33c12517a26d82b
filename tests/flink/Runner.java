import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs generated programs one after another in one virtual machine: {@code Runner FOLDER PACKAGE...}. */
public class Runner {
    /** What a program prints goes to FOLDER/PACKAGE/out.jsonl, and what stops it to FOLDER/PACKAGE/error.txt. */
    public static void main(String[] args) throws Exception {
        for (int i = 1; i < args.length; i++) {
            Path folder = Path.of(args[0], args[i]);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            System.setOut(new PrintStream(out, true, "UTF-8"));
            try {
                Class<?> program = Class.forName(args[i] + ".Main");
                program.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            } catch (Throwable problem) {
                Throwable cause = problem;
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                Files.writeString(folder.resolve("error.txt"), cause.toString());
            }
            System.out.flush();
            Files.write(folder.resolve("out.jsonl"), out.toByteArray());
        }
        System.exit(0);
    }
}
