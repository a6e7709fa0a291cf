"""Running a trained model, without torch: model folders, ONNX sessions, decoding, taggers."""
