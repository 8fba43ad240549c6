package holdfast.bench;

import com.google.gson.annotations.SerializedName;

enum Scenario {
  @SerializedName("sequential")
  SEQUENTIAL,
  @SerializedName("keys")
  KEYS,
  @SerializedName("nested")
  NESTED,
  @SerializedName("burst")
  BURST,
  @SerializedName("loop")
  LOOP;

  boolean single() {
    return this == SEQUENTIAL || this == NESTED;
  }

  boolean contended() {
    return this == BURST || this == LOOP;
  }
}
